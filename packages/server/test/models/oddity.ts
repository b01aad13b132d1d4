import { expect } from 'vitest';
import type { Reading } from './readings.ts';

/** An answer that providers send, and what it means. */
export interface Oddity {
  readonly about: string;
  /** The answer as a whole. */
  readonly whole?: object;
  /** The same answer as a stream: the data of its events, or all its bytes. */
  readonly events?: readonly (object | string)[] | string;
  /** Null for an answer that fails. */
  readonly reads: Reading | null;
  /** What the SDK reads instead, and the reason why we read it differently. */
  readonly sdk?: { readonly reads: Partial<Reading> | null; readonly reason: string };
}

const reading: Reading = { text: '', calls: [], stop: 'end', tokens: [12, 5, 0] };

/** An id that the SDK made. */
export const anyId: string = expect.any(String);

/** A reading that has these parts. */
export function read(parts: Partial<Reading>): Reading {
  return { ...reading, ...parts };
}

/** The bytes of a stream. */
export function bytesOf(events: readonly (object | string)[] | string): string {
  if (typeof events === 'string') return events;
  return events
    .map((event) => (typeof event === 'string' ? event : JSON.stringify(event)))
    .map(asEvent)
    .join('');
}

function asEvent(data: string): string {
  const [, type] = /^\{"type":"(\w+)"/.exec(data) ?? [];
  return `${type === undefined ? '' : `event: ${type}\n`}data: ${data}\n\n`;
}
