import type { Readable } from 'node:stream';
import { type OutboundBody, type SlicedWork, StepError } from '@millrace/core';
import { decodedText } from '../ground/charsets.ts';
import { systemClock, systemTimers } from '../ground/clock.ts';
import { Turns } from '../ground/turns.ts';
import { decoded } from './content-decoder.ts';
import type { HeldAnswer } from './held-answers.ts';

/** The largest accepted answer, decompressed: more belongs in a file, and a run's journal stores every value. */
const maxBytes = 10 * 1024 * 1024;

/** Bytes that a watcher receives at a time: up to a few milliseconds of work, also if they are many short events. */
const watchedBytes = 8_192;

/** What watchers do with all answers of this process has one slice of each turn of its event loop. */
const watching = new Turns({ clock: systemClock, timers: systemTimers });

/**
 * Reads the whole body of an answer; a watcher receives its bytes as they arrive.
 * @throws StepError http_too_large past 10 MiB, counted after decompression; http_busy if all answers together are too
 * large
 */
export async function readBody(
  stream: Readable,
  headers: Readonly<Record<string, string>>,
  reader: BodyReader,
): Promise<OutboundBody> {
  try {
    const whole = await readWhole(stream, headers, reader);
    return {
      size: whole.length,
      text: () => decodedText(whole, headers['content-type']),
      base64: () => whole.toString('base64'),
    };
  } finally {
    reader.held.release();
  }
}

/** The consumers of the bytes of an answer. */
interface BodyReader {
  readonly watcher: ((bytes: Uint8Array) => void) | null;
  readonly held: HeldAnswer;
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

async function readWhole(
  stream: Readable,
  headers: Readonly<Record<string, string>>,
  { watcher, held, signal }: BodyReader,
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
    // Meanwhile no more is read.
    if (watcher !== null) await watching.finish(watched(bytes, watcher, signal));
  }
  return Buffer.concat(chunks, size);
}

function* watched(bytes: Buffer, watcher: (bytes: Uint8Array) => void, signal: AbortSignal): SlicedWork<void> {
  for (let start = 0; start < bytes.length; start += watchedBytes) {
    if (start > 0) yield;
    if (signal.aborted) return;
    watcher(bytes.subarray(start, start + watchedBytes));
  }
}

function tooLarge(): StepError {
  return new StepError('http_too_large', `The response is larger than ${maxBytes / 1024 / 1024} MiB.`);
}
