import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';

/** Bytes of a file that its digest counts as zeros: the digest itself is stored there. */
export interface Gap {
  readonly start: number;
  readonly length: number;
}

/** 1 MiB: larger reads are not faster. */
const chunkBytes = 1_048_576;

/** The SHA-256 of a file, in hexadecimal. */
export function digestOf(path: string, { start, length }: Gap): string {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(chunkBytes);
  const file = openSync(path, 'r');
  try {
    for (let at = 0; ; ) {
      const read = readSync(file, chunk, 0, chunkBytes, at);
      if (read === 0) return hash.digest('hex');
      const part = chunk.subarray(0, read);
      part.fill(0, clamp(start - at, read), clamp(start + length - at, read));
      hash.update(part);
      at += read;
    }
  } finally {
    closeSync(file);
  }
}

function clamp(value: number, most: number): number {
  return Math.min(most, Math.max(0, value));
}
