import { randomBytes } from 'node:crypto';

/** Digits and letters that no text encoding changes, in the middle, where no mask shows them. */
const coreLength = 16;
/** A piece of a secret of this length is a leak. */
const windowLength = 8;

/** A secret that exists nowhere else, with characters that JSON and URLs encode differently. */
export class Canary {
  readonly secret: string;
  readonly #core: string;

  constructor(kind: string) {
    this.#core = randomBytes(coreLength / 2).toString('hex');
    this.secret = `${kind}-"${this.#core}"%+é\\-end`;
  }

  /** The part of it that the bytes contain, in plain, hexadecimal or base64; null if none. */
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

/** Where canaries occur in these bytes, with the text around each: empty if nothing leaked. */
export function contextsOf(canaries: readonly Canary[], places: readonly Buffer[]): readonly string[] {
  return places.flatMap((bytes) =>
    canaries.flatMap((canary) => {
      const trace = canary.findIn(bytes);
      const at = trace === null ? 0 : bytes.indexOf(trace);
      return trace === null ? [] : [bytes.subarray(Math.max(0, at - 300), at + 100).toString('latin1')];
    }),
  );
}

/**
 * The base64 forms of the bytes for each of the three alignments, without the characters that depend on adjacent bytes.
 */
function base64Of(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const whole = padded.subarray(0, padded.length - (padded.length % 3));
    // The first group contains bits of the preceding byte, unless there is none.
    const text = whole.toString('base64').slice(offset === 0 ? 0 : 4);
    return [text, text.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
