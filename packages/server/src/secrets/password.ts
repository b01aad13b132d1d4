import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { FairTurns, type TurnSource } from '../ground/fair-turns.ts';

/** Passwords of users: only their hashes are stored. */
export interface Passwords {
  /** @param source who sets it; by default an operator. @throws Problem `overloaded` */
  hash(password: string, source?: TurnSource): Promise<string>;
  /**
   * Takes the same time whether there is such a hash or not.
   * @param source who guesses; by default an operator
   * @throws Problem `overloaded`
   */
  matches(password: string, hash: string | null, source?: TurnSource): Promise<boolean>;
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

/** Admins and the command line. */
const operators: TurnSource = { id: '', isKnown: true };

export function createPasswords(cost = defaultCost): Passwords {
  const turns = new FairTurns({
    atOnce: maxAtOnce,
    waiting: maxWaiting,
    message: 'Too many passwords are being checked. Try again in a moment.',
  });
  // Compared with the password if there is no hash: nothing hashes to it.
  const nobody = sealed(cost, randomBytes(saltBytes), randomBytes(hashBytes));

  return {
    async hash(password, source = operators) {
      const salt = randomBytes(saltBytes);
      return sealed(cost, salt, await turns.take(source, () => derive(password, salt, cost)));
    },
    async matches(password, hash, source = operators) {
      const { cost: storedCost, salt, key } = opened(hash ?? nobody);
      const derived = await turns.take(source, () => derive(password, salt, storedCost));
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
