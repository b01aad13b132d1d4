import type { Readable } from 'node:stream';
import { type OutboundBody, StepError } from '@millrace/core';
import { decodedText } from '../ground/charsets.ts';
import { decoded } from './content-decoder.ts';
import type { HeldAnswer } from './held-answers.ts';

/** The largest accepted answer, decompressed: more belongs in a file, and a run's journal stores every value. */
const maxBytes = 10 * 1024 * 1024;

/**
 * Reads the whole body of an answer; a watcher receives its bytes as they arrive.
 * @throws StepError http_too_large past 10 MiB, counted after decompression; http_busy if all answers together are too
 * large
 */
export async function readBody(
  stream: Readable,
  headers: Readonly<Record<string, string>>,
  { watcher, held }: BodyReader,
): Promise<OutboundBody> {
  try {
    const whole = await readWhole(stream, headers, { watcher, held });
    return {
      size: whole.length,
      text: () => decodedText(whole, headers['content-type']),
      base64: () => whole.toString('base64'),
    };
  } finally {
    held.release();
  }
}

/** The consumers of the bytes of an answer. */
interface BodyReader {
  readonly watcher: ((bytes: Uint8Array) => void) | null;
  readonly held: HeldAnswer;
}

async function readWhole(
  stream: Readable,
  headers: Readonly<Record<string, string>>,
  { watcher, held }: BodyReader,
): Promise<Buffer> {
  const source = decoded(stream, headers['content-encoding']);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of source) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    try {
      if (size > maxBytes) throw tooLarge();
      held.grow(size);
    } catch (error) {
      stream.destroy();
      throw error;
    }
    chunks.push(bytes);
    watcher?.(bytes);
  }
  return Buffer.concat(chunks, size);
}

function tooLarge(): StepError {
  return new StepError('http_too_large', `The response is larger than ${maxBytes / 1024 / 1024} MiB.`);
}
