import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { Problem } from '@millrace/core';

/** Passwords of users: only their hashes are stored. */
export interface Passwords {
  /** @throws Problem `overloaded` */
  hash(password: string): Promise<string>;
  /** Takes the same time whether there is such a hash or not. @throws Problem `overloaded` */
  matches(password: string, hash: string | null): Promise<boolean>;
}

/** The cost of a hash, for us and for an attacker: memory is 128 · 2^log2N · r bytes. */
interface Cost {
  readonly log2N: number;
  readonly r: number;
  readonly p: number;
}

// 32 MiB and about 150 ms: among the settings that OWASP's password storage cheat sheet considers equal, one with
// little memory.
const defaultCost: Cost = { log2N: 15, r: 8, p: 3 };
const saltBytes = 16;
const hashBytes = 32;

/** Concurrent hashes: two leave threads of Node's pool of four for files and host names, and use 64 MiB. */
const maxAtOnce = 2;
/** Queued hashes: they wait at most two seconds. */
const maxWaiting = 20;

export function createPasswords(cost = defaultCost): Passwords {
  const turns = new Turns();
  // Compared with the password if there is no hash: nothing hashes to it.
  const nobody = sealed(cost, randomBytes(saltBytes), randomBytes(hashBytes));

  return {
    async hash(password) {
      const salt = randomBytes(saltBytes);
      return sealed(cost, salt, await turns.take(() => derive(password, salt, cost)));
    },
    async matches(password, hash) {
      const { cost: storedCost, salt, key } = opened(hash ?? nobody);
      const derived = await turns.take(() => derive(password, salt, storedCost));
      return timingSafeEqual(derived, key) && hash !== null;
    },
  };
}

/** `scrypt$15$8$3$<salt>$<key>`: includes the cost, so that it still works after the default changes. */
function sealed({ log2N, r, p }: Cost, salt: Buffer, key: Buffer): string {
  return ['scrypt', log2N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

function opened(text: string): { readonly cost: Cost; readonly salt: Buffer; readonly key: Buffer } {
  const [, log2N, r, p, salt = '', key = ''] = text.split('$');
  return {
    cost: { log2N: Number(log2N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(key, 'base64url'),
  };
}

function derive(password: string, salt: Buffer, { log2N, r, p }: Cost): Promise<Buffer> {
  const N = 2 ** log2N;
  // Node rejects a hash that needs more than maxmem; its default is just below what this one needs.
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    // One form of each character: keyboards produce "é" as one character or as two.
    scrypt(password.normalize('NFKC'), salt, hashBytes, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

/** Limits concurrent and queued hashes: a flood of logins must not use all memory and threads. */
class Turns {
  #working = 0;
  readonly #waiting: (() => void)[] = [];

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#working >= maxAtOnce) await this.#wait();
    else this.#working += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#working -= 1;
      else next();
    }
  }

  /** The slot is handed over, so that no later caller gets it first. */
  #wait(): Promise<void> {
    if (this.#waiting.length >= maxWaiting) {
      throw new Problem('overloaded', 'Too many passwords are being checked. Try again in a moment.');
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
