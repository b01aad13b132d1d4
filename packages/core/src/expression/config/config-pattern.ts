/** A place in a config document, key by key; `*` stands for every entry of a list. */
type Pattern = readonly string[];

/** Some places of a config document, seen from where a walk through it has come to. */
export class ConfigPatterns {
  readonly #rest: readonly Pattern[];

  private constructor(rest: readonly Pattern[]) {
    this.#rest = rest;
  }

  /** Places as components write them: `expression`, `rules.*.field`. */
  static of(places: readonly string[] | undefined): ConfigPatterns {
    return places === undefined || places.length === 0
      ? ConfigPatterns.nowhere
      : new ConfigPatterns(places.map((place) => place.split('.')));
  }

  static readonly nowhere: ConfigPatterns = new ConfigPatterns([]);

  /** Whether any of the places is here or deeper. */
  get isSomewhere(): boolean {
    return this.#rest.length > 0;
  }

  /** Whether the walk stands at one of the places. */
  get matches(): boolean {
    return this.#rest.some((pattern) => pattern.length === 0);
  }

  /** The places seen from one key deeper; `*` for an entry of a list. */
  below(key: string): ConfigPatterns {
    if (this.#rest.length === 0) return this;
    const rest = this.#rest.filter((pattern) => pattern[0] === key).map((pattern) => pattern.slice(1));
    return rest.length === 0 ? ConfigPatterns.nowhere : new ConfigPatterns(rest);
  }
}
