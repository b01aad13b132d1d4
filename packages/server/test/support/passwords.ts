import { createPasswords, type Passwords } from '../../src/secrets/password.ts';

/** Passwords whose hashes take a thousandth of the real time. */
export function cheapPasswords(): Passwords {
  return createPasswords({ log2N: 5, r: 8, p: 1 });
}
