import type { Json, JsonObject } from '../json.ts';

export const scriptLanguages = ['javascript', 'typescript'] as const;
export type ScriptLanguage = (typeof scriptLanguages)[number];

/** Code of a user's: the body of an async function, and the values that it can name. */
export interface Script {
  readonly language: ScriptLanguage;
  readonly source: string;
  /** What is in scope by these names; a name that is left out is undefined to the code. */
  readonly scope: Readonly<Partial<Record<ScriptName, Json>>>;
}

/** The names that code may use. */
export const scriptNames = ['input', 'trigger', 'nodes', 'loop'] as const;
export type ScriptName = (typeof scriptNames)[number];

/** What a step's entry says of the lines that its script wrote; nothing where there are none. */
export function consoleOf(lines: readonly string[]): { readonly metadata?: JsonObject } {
  return lines.length === 0 ? {} : { metadata: { console: lines } };
}

/** What a script returned, and what it wrote with `console.log`: a bounded number of lines. */
export interface ScriptResult {
  readonly value: Json;
  readonly lines: readonly string[];
}
