import type { Clock } from '../../ground/clock.ts';
import { Newest } from './newest.ts';

/** Who guesses a password, as far as that can be known before the password is checked. */
export interface Guesser {
  /** The name of the account; null for a guess that concerns no account, such as a setup token. */
  readonly account: string | null;
  /** The network of the client. */
  readonly network: string;
  /** A browser in which this account has logged in before, or a caller with a key of the account; null for others. */
  readonly known: string | null;
}

/** A guess that may be checked. It counts as wrong until it is withdrawn. */
export interface Guess {
  /** Whether this account has logged in from the same browser or network before. */
  readonly isKnown: boolean;
  /** The guess was right. */
  right(): void;
  /** The guess was not checked, for example because the service is overloaded. */
  withdraw(): void;
}

/** Wrong guesses of one source without a delay: people try all their passwords, and share an address with others. */
const freeGuesses = 20;
/**
 * The delay after each further one. 1,440 guesses a day are far too few for a password that is not on a list, and
 * nobody waits longer than a minute.
 */
const delayMs = 60_000;
/** Wrong guesses are forgotten when there was none for this time. */
const memoryMs = 60 * 60 * 1000;
/**
 * A network that has not guessed wrong yet is not delayed by the wrong guesses of others for the same account, so that
 * its owner can log in from a new place. From so many wrong guesses on it is: they come from many networks.
 */
const maxStrangerGuesses = 100;
/** Accounts, networks and known browsers that are counted at once: a flood of names uses little memory. */
const maxTracked = 10_000;
/** How long a network is familiar after a login: people are away for a month at most. */
const familiarMs = 30 * 24 * 60 * 60 * 1000;

interface Tally {
  readonly wrong: number;
  /** No guess is checked before this time. */
  readonly opensAt: number;
  readonly lastAt: number;
}

const none: Tally = { wrong: 0, opensAt: 0, lastAt: 0 };

/** The wrong guesses of each source. All times are milliseconds of the monotonic clock. */
class Tallies {
  readonly #tallies = new Newest<string, Tally>(maxTracked);

  of(source: string, now: number): Tally {
    const tally = this.#tallies.get(source);
    return tally === undefined || now - tally.lastAt >= memoryMs ? none : tally;
  }

  count(source: string, now: number): void {
    const wrong = this.of(source, now).wrong + 1;
    const delay = wrong >= freeGuesses ? delayMs : 0;
    this.#tallies.set(source, { wrong, opensAt: now + delay, lastAt: now });
  }

  /** Takes back what `count` has counted. */
  forgive(source: string, now: number): void {
    const { wrong, lastAt } = this.of(source, now);
    if (wrong <= 1) this.#tallies.delete(source);
    else this.#tallies.set(source, { wrong: wrong - 1, opensAt: now, lastAt });
  }
}

/**
 * Slows down those who guess passwords, by the account and by the network of the guesser, and lets the owner of the
 * account in meanwhile: a browser or network from which the account has logged in before has a count of its own.
 */
export class LoginGuard {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #known = new Tallies();
  readonly #networks = new Tallies();
  /** Guesses of strangers only. */
  readonly #accounts = new Tallies();
  /** When an account has last logged in from a network. */
  readonly #familiar = new Newest<string, number>(maxTracked);

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** The guess, counted as wrong, or the milliseconds until the guesser may try again. */
  begin(guesser: Guesser): Guess | number {
    const now = this.#clock.monotonic();
    const waitMs = this.#waitMs(guesser, now);
    if (waitMs > 0) return waitMs;
    const counted = this.#sourcesOf(guesser, now);
    const isKnown = guesser.known !== null || this.#isFamiliar(guesser, now);
    for (const [tallies, source] of counted) tallies.count(source, now);
    const withdraw = (): void => {
      for (const [tallies, source] of counted) tallies.forgive(source, this.#clock.monotonic());
    };
    return {
      isKnown,
      withdraw,
      right: () => {
        withdraw();
        this.#familiar.set(placeOf(guesser), this.#clock.monotonic());
      },
    };
  }

  /** What counts the guesses of this guesser. */
  #sourcesOf(guesser: Guesser, now: number): readonly (readonly [Tallies, string])[] {
    const { account, network, known } = guesser;
    if (known !== null) return [[this.#known, known]];
    if (account === null || this.#isFamiliar(guesser, now)) return [[this.#networks, network]];
    return [
      [this.#networks, network],
      [this.#accounts, nameOf(account)],
    ];
  }

  #waitMs(guesser: Guesser, now: number): number {
    const isFirst = guesser.known === null && this.#networks.of(guesser.network, now).wrong === 0;
    const opensAt = this.#sourcesOf(guesser, now).map(([tallies, source]) => {
      const tally = tallies.of(source, now);
      const isOpen = tallies === this.#accounts && isFirst && tally.wrong < maxStrangerGuesses;
      return isOpen ? now : tally.opensAt;
    });
    return Math.max(now, ...opensAt) - now;
  }

  #isFamiliar(guesser: Guesser, now: number): boolean {
    const at = this.#familiar.get(placeOf(guesser));
    return at !== undefined && now - at < familiarMs;
  }
}

function placeOf({ account, network }: Guesser): string {
  return `${account === null ? '' : nameOf(account)} ${network}`;
}

/** Names of users differ in more than upper and lower case. */
function nameOf(account: string): string {
  return account.toLowerCase();
}
