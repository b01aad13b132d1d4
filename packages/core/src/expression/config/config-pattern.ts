/** A path in a config document, key by key; `*` stands for every entry of a list. */
type Pattern = readonly string[];

/** A set of paths in a config document, relative to the current position of a walk through it. */
export class ConfigPatterns {
  readonly #rest: readonly Pattern[];

  private constructor(rest: readonly Pattern[]) {
    this.#rest = rest;
  }

  /** Paths as components write them: `expression`, `rules.*.field`. */
  static of(places: readonly string[] | undefined): ConfigPatterns {
    return places === undefined || places.length === 0
      ? ConfigPatterns.nowhere
      : new ConfigPatterns(places.map((place) => place.split('.')));
  }

  static readonly nowhere: ConfigPatterns = new ConfigPatterns([]);

  /** Whether any of the paths is at the current position or below it. */
  get isSomewhere(): boolean {
    return this.#rest.length > 0;
  }

  /** Whether one of the paths ends at the current position. */
  get matches(): boolean {
    return this.#rest.some((pattern) => pattern.length === 0);
  }

  /** The paths relative to the position one key deeper; `*` for an entry of a list. */
  below(key: string): ConfigPatterns {
    if (this.#rest.length === 0) return this;
    const rest = this.#rest.filter((pattern) => pattern[0] === key).map((pattern) => pattern.slice(1));
    return rest.length === 0 ? ConfigPatterns.nowhere : new ConfigPatterns(rest);
  }
}
