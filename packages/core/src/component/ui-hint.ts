import type { Json } from '../json.ts';

/** The input elements of an editor that a JSON Schema alone does not name. */
export const widgets = [
  /** Source code, with highlighting. */
  'code',
  /** Text for a model or a person, with expressions, over several lines. */
  'prompt',
  /** Markdown over several lines. */
  'markdown',
  /** An expression without braces. */
  'expression',
  /** A path inside a value, without braces. Expressions are not evaluated in it. */
  'path',
  /** A regular expression. */
  'pattern',
  /** Conditions whose fields are paths as in expressions. */
  'rules',
  /** Conditions whose fields are paths inside each item of a list. */
  'item_rules',
  /** A cron pattern. */
  'cron',
  /** The name of a time zone. */
  'timezone',
  /** A length of time, stored as a number of `unit`. */
  'duration',
  /** The slug of another workflow. */
  'workflow',
  /** The id of an `llm` credential. */
  'llm_credential',
  /** The id of a `tool` credential. */
  'tool_credential',
  /** The id of a `chat_bot` credential. */
  'chat_bot_credential',
  /** The name of a model of the node's credential. */
  'model',
  /** JSON, even if the schema would allow a form. */
  'json',
] as const;

export type Widget = (typeof widgets)[number];

/** How an editor shows one key of a config, besides what the key's JSON Schema says. Schemas contain it as `ui`. */
export interface UiHint {
  readonly widget?: Widget;
  /** What a number counts, e.g. `seconds`. */
  readonly unit?: string;
  /** Whether few workflows set the key. */
  readonly advanced?: boolean;
  /** The key matters only if each of these keys of the same object has one of the values; its default counts. */
  readonly when?: Readonly<Record<string, readonly Json[]>>;
}

/** A hint in the metadata of a schema: `.meta({ ...ui({ widget: 'code' }) })`. */
export function ui(hint: UiHint): { readonly ui: UiHint } {
  return { ui: hint };
}
