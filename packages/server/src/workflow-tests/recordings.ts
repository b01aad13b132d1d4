/** Something recorded, with how often it answers. */
interface Recorded {
  readonly times: number;
}

/** One recording of a test. */
export interface Recording<Given> {
  readonly given: Given;
  /** What a report calls it. */
  readonly name: string;
  /** How often it will still answer. */
  left: number;
}

/** The recordings of one kind, in their order: each answers as often as it is there. */
export class Recordings<Given extends Recorded> {
  readonly all: readonly Recording<Given>[];
  /** What was said of questions that nothing answered. */
  readonly #unanswered: string[] = [];

  constructor(given: readonly Given[], nameOf: (one: Given, index: number) => string) {
    this.all = given.map((one, index) => ({ given: one, name: nameOf(one, index), left: one.times }));
  }

  /** The first that fits and is left; undefined without one. */
  take(fits: (given: Given) => boolean): Given | undefined {
    const found = this.all.find(({ given, left }) => left > 0 && fits(given));
    if (found !== undefined) found.left -= 1;
    return found?.given;
  }

  /** Notes a question that nothing answered. */
  miss(message: string): void {
    this.#unanswered.push(message);
  }

  /** Questions that nothing answered, and recordings that have answered less often than they are there. */
  get faults(): readonly string[] {
    return [...this.#unanswered, ...this.all.filter(({ left }) => left > 0).map(faultOfUnused)];
  }
}

function faultOfUnused({ name, left, given: { times } }: Recording<Recorded>): string {
  return left === times ? `${name} was never asked for.` : `${name} was asked for ${times - left} of ${times} times.`;
}
