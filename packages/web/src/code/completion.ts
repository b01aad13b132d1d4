/** One suggestion of an editor. */
export interface CodeCompletion {
  readonly label: string;
  /** What is inserted instead of the label; one in brackets also replaces the dot before it. */
  readonly apply?: string;
  readonly kind: 'node' | 'port' | 'key' | 'name' | 'function';
  /** Beside the label: a type, a signature or a value. */
  readonly detail?: string;
  /** A sentence about it. */
  readonly info?: string;
}

/** The suggestions for a place in a text. */
export interface Completions {
  /** Where the text begins that a suggestion replaces. */
  readonly from: number;
  readonly options: readonly CodeCompletion[];
}

/** The suggestions at a position; null if there are none. */
export type CompletionsAt = (text: string, position: number) => Completions | null;
