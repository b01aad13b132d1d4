import { expect } from 'vitest';

/** How long a page may take to show what it should: ten times what it takes, because a test machine has other work. */
const withinMs = 20_000;

/** Expects something that becomes true soon, such as `await eventually(read).toBe(5)`. */
export function eventually<T>(read: () => T | Promise<T>) {
  return expect.poll(read, { timeout: withinMs });
}
