import type { UiHint } from './schema.ts';

/** Units of time in which a config stores a duration. */
export type DurationUnit = 'seconds' | 'milliseconds';

/** One of several kinds of objects, which a constant key distinguishes. */
export interface Variant {
  readonly value: string;
  readonly description: string;
  readonly fields: readonly Field[];
}

/** A kind that needs nothing else to be known. */
type Plain<Kind extends string> = Kind extends string ? { readonly kind: Kind } : never;

/** How a value is edited. Anything that has no form of its own is edited as JSON. */
export type FieldKind =
  | {
      readonly kind: 'text';
      readonly suggestions?: 'timezone' | 'workflow';
      readonly isCode?: boolean;
      /** The number of characters that the service stores at most. */
      readonly length?: number;
      /** Whether spaces around it do not belong to it. */
      readonly isTrimmed?: boolean;
    }
  | Plain<'prompt' | 'markdown' | 'code' | 'expression' | 'cron' | 'model' | 'any'>
  | { readonly kind: 'json'; readonly isList?: boolean }
  | {
      readonly kind: 'number';
      readonly minimum: number | null;
      readonly maximum: number | null;
      readonly isWhole: boolean;
      readonly unit: string | null;
    }
  | { readonly kind: 'duration'; readonly unit: DurationUnit }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  /** Several of the options. */
  | { readonly kind: 'choices'; readonly options: readonly string[] }
  /** One of the options, or an object with one number. */
  | { readonly kind: 'choice-or-count'; readonly options: readonly string[]; readonly countKey: string }
  /** Names with values: texts, or any JSON. */
  | { readonly kind: 'map'; readonly isText: boolean }
  /** A list of texts. */
  | { readonly kind: 'texts'; readonly suggestions: readonly string[] }
  | { readonly kind: 'objects'; readonly fields: readonly Field[] }
  | { readonly kind: 'object'; readonly fields: readonly Field[] }
  | { readonly kind: 'variants'; readonly key: string; readonly variants: readonly Variant[] }
  | { readonly kind: 'rules'; readonly isRouting: boolean; readonly isItem: boolean }
  | { readonly kind: 'credential'; readonly type: 'llm' | 'tool' | 'chat_bot' };

/** One key of an object that a form edits. */
export interface Field {
  readonly key: string;
  readonly label: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly field: FieldKind;
  /** Whether the value may be text with an expression instead. */
  readonly takesExpression: boolean;
  readonly defaultValue: unknown;
  readonly example: unknown;
  readonly isAdvanced: boolean;
  /** The values of other keys for which the field matters. */
  readonly when: NonNullable<UiHint['when']>;
}
