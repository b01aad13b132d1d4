import type { Json, JsonObject } from '../json.ts';

export const scriptLanguages = ['javascript', 'typescript'] as const;
export type ScriptLanguage = (typeof scriptLanguages)[number];

/** Code of a user: the body of an async function, and the values in its scope. */
export interface Script {
  readonly language: ScriptLanguage;
  readonly source: string;
  /** The values in scope by name; an omitted name is undefined in the code. */
  readonly scope: Readonly<Partial<Record<ScriptName, Json>>>;
}

/** The names that code may use. */
export const scriptNames = ['input', 'trigger', 'nodes', 'loop'] as const;
export type ScriptName = (typeof scriptNames)[number];

/** The console lines of a script for the step's log entry; nothing if there are none. */
export function consoleOf(lines: readonly string[]): { readonly metadata?: JsonObject } {
  return lines.length === 0 ? {} : { metadata: { console: lines } };
}

/** The return value of a script, and its `console.log` output: a limited number of lines. */
export interface ScriptResult {
  readonly value: Json;
  readonly lines: readonly string[];
}
