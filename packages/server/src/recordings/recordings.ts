/** Something recorded, and how often it answers: once, if it does not say. */
export interface Recorded {
  readonly times?: number | undefined;
}

/** One recording of a test. */
export interface Recording<Given> {
  readonly given: Given;
  /** Its name in a report. */
  readonly name: string;
  /** How often it can still answer. */
  left: number;
}

/** The recordings of one kind, in order; each answers as many requests as its `times`. */
export class Recordings<Given extends Recorded> {
  readonly all: readonly Recording<Given>[];
  /** The reports of requests without a recording. */
  readonly #unanswered: string[] = [];

  constructor(given: readonly Given[], nameOf: (one: Given, index: number) => string) {
    this.all = given.map((one, index) => ({ given: one, name: nameOf(one, index), left: one.times ?? 1 }));
  }

  /** The first matching recording that is left; undefined without one. */
  take(fits: (given: Given) => boolean): Given | undefined {
    const found = this.all.find(({ given, left }) => left > 0 && fits(given));
    if (found !== undefined) found.left -= 1;
    return found?.given;
  }

  /** Records a request that no recording answered. */
  miss(message: string): void {
    this.#unanswered.push(message);
  }

  /** Requests that no recording answered, and recordings that were used too rarely. */
  get failures(): readonly string[] {
    return [...this.#unanswered, ...this.all.filter(({ left }) => left > 0).map(failureOfUnused)];
  }
}

function failureOfUnused({ name, left, given: { times = 1 } }: Recording<Recorded>): string {
  return left === times ? `${name} was never requested.` : `${name} was requested ${times - left} of ${times} times.`;
}
