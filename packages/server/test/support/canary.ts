import { randomBytes } from 'node:crypto';

/** Digits and letters that no writing of texts changes; in the middle, where no mask shows them. */
const coreLength = 16;
/** A piece of a secret that is as long as this is a leak. */
const windowLength = 8;

/** A secret that exists nowhere else, with characters that JSON and URLs write in other ways. */
export class Canary {
  readonly secret: string;
  readonly #core: string;

  constructor(kind: string) {
    this.#core = randomBytes(coreLength / 2).toString('hex');
    this.secret = `${kind}-"${this.#core}"%+é\\-end`;
  }

  /** What of it the bytes hold, in plain, hexadecimal or base64; null for nothing. */
  findIn(bytes: Buffer): string | null {
    return this.#traces().find((trace) => bytes.includes(trace)) ?? null;
  }

  #traces(): readonly string[] {
    const core = Buffer.from(this.#core);
    const windows = Array.from({ length: coreLength - windowLength + 1 }, (_, start) =>
      this.#core.slice(start, start + windowLength),
    );
    return [...windows, core.toString('hex'), core.toString('hex').toUpperCase(), ...base64Of(core)];
  }
}

/** How bytes look inside base64, at each of the three places where they can begin; without what neighbours change. */
function base64Of(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const whole = padded.subarray(0, padded.length - (padded.length % 3));
    // The first group has the neighbour's bits, unless there is none.
    const text = whole.toString('base64').slice(offset === 0 ? 0 : 4);
    return [text, text.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
