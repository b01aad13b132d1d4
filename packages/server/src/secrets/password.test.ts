import { describe, expect, it } from 'vitest';
import { createPasswords } from './password.ts';

// A thousandth of the real cost.
const passwords = createPasswords({ log2N: 5, r: 8, p: 1 });

describe('a password', () => {
  it('matches only its own hash, which does not contain it', async () => {
    const hash = await passwords.hash('correct horse');
    expect(await passwords.matches('correct horse', hash)).toBe(true);
    expect(await passwords.matches('correct horse ', hash)).toBe(false);
    expect(hash).not.toContain('correct');
  });

  it('gets a different hash each time', async () => {
    expect(await passwords.hash('same')).not.toBe(await passwords.hash('same'));
  });

  it('matches however its characters were composed', async () => {
    expect(await passwords.matches('cafe\u0301', await passwords.hash('caf\u00e9'))).toBe(true);
  });

  it('matches nothing if there is no hash', async () => {
    expect(await passwords.matches('', null)).toBe(false);
  });

  it('with a hash of an older cost still matches', async () => {
    const hash = await createPasswords({ log2N: 4, r: 4, p: 2 }).hash('old');
    expect(await passwords.matches('old', hash)).toBe(true);
  });
});
