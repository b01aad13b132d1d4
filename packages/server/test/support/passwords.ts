import { createPasswords, type Passwords } from '../../src/secrets/password.ts';

/** Passwords with hashes that take a thousandth of the real time. */
export function cheapPasswords(): Passwords {
  return createPasswords({ log2N: 5, r: 8, p: 1 });
}
