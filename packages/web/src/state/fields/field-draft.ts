import { isSameJson, type Json } from '@millrace/core/editing';

/** What a text means: a value, or the reason why it is none. Undefined means that the field is not set. */
export type Reading = { readonly value: unknown } | { readonly problem: string };

/** How values are written as text. Reading the text of a value gives the same value. */
export interface Format {
  read(text: string): Reading;
  show(value: unknown): string;
}

/** What a field is edited as: its own kind of value, or text with expressions. */
export type FieldMode = 'value' | 'expression';

/** How a field is edited. */
export interface FieldRules {
  readonly value: Format;
  /** Null if the field takes no expression. */
  readonly expression: Format | null;
  /** Whether the input element of a value shows any text. Then both modes have the same text. */
  readonly sharesText: boolean;
  /** Whether braces that are typed change the mode. */
  readonly opensOnBraces: boolean;
  /** The mode in which a value is shown. */
  readonly modeOf: (value: unknown) => FieldMode;
}

/** What was typed into a field and differs from what is stored, or was chosen for it. It is JSON. */
export interface FieldDraft {
  /** The mode that was chosen or in which the text was typed; null if the value decides. */
  readonly mode: FieldMode | null;
  /** Whether a person chose the mode: it stays when the field is left. */
  readonly isChosen: boolean;
  /** Null if the field shows its value. */
  readonly text: string | null;
  /** What the text means. */
  readonly value: Json | undefined;
  /** Why the text cannot be stored; null if it can. */
  readonly problem: string | null;
  /** What the other mode showed, for fields whose modes have texts of their own. */
  readonly aside: { readonly text: string | null; readonly value: Json | undefined } | null;
}

/** Nothing was typed. */
export const noDraft: FieldDraft = {
  mode: null,
  isChosen: false,
  text: null,
  value: undefined,
  problem: null,
  aside: null,
};

/**
 * What a person does with a field. Typing, pasting, completing and undoing inside of it all give it another text. An
 * option, a switch or a credential that is chosen gives it another value.
 */
export type FieldEvent =
  | { readonly kind: 'typed'; readonly text: string }
  | { readonly kind: 'chosen'; readonly value: unknown }
  | { readonly kind: 'left' }
  | { readonly kind: 'toggled' }
  | { readonly kind: 'reset' };

/** The field that an event concerns. */
export interface FieldContext {
  readonly rules: FieldRules;
  /** Its value in the form: the stored one, or a later one that is about to be stored. */
  readonly value: unknown;
}

/** What an event makes of a draft. */
export interface FieldStep {
  readonly draft: FieldDraft;
  /** The value stays, changes, or is the stored one again because the text has none. */
  readonly effect: { readonly kind: 'none' | 'hold' } | { readonly kind: 'change'; readonly value: unknown };
}

/** What a field shows. */
export interface ShownField {
  readonly mode: FieldMode;
  readonly text: string;
  /** Why the text is not stored. */
  readonly problem: string | null;
}

const nothing = { kind: 'none' } as const;
const noText = { text: null, value: undefined, problem: null } as const;

/** What a field shows. A typed text gives way to a value that comes from elsewhere: an undo, or an edit of others. */
export function shownField(draft: FieldDraft, { rules, value }: FieldContext): ShownField {
  const natural = rules.expression === null ? 'value' : rules.modeOf(value);
  const { text, problem } = draft;
  if (text !== null && (problem !== null || isSame(draft.value, value)))
    return { mode: draft.mode ?? natural, text, problem };
  const mode = draft.mode !== null && canShow(formatOf(rules, draft.mode), value) ? draft.mode : natural;
  return { mode, text: formatOf(rules, mode).show(value), problem: null };
}

function canShow(format: Format, value: unknown): boolean {
  const reading = format.read(format.show(value));
  return 'value' in reading && isSame(reading.value, value);
}

/** The draft after an event, and its effect on the value. */
export function afterEvent(draft: FieldDraft, event: FieldEvent, context: FieldContext): FieldStep {
  switch (event.kind) {
    case 'typed':
      return afterTyping(draft, event.text, context);
    case 'chosen':
      // The text that was typed before is not meant any more. Only a value is chosen.
      return {
        draft: { ...draft, ...noText, mode: draft.mode && 'value' },
        effect: { kind: 'change', value: event.value },
      };
    case 'left':
      return { draft: afterLeaving(draft, context), effect: nothing };
    case 'toggled':
      return afterToggle(draft, context);
    case 'reset':
      return { draft: noDraft, effect: { kind: 'change', value: undefined } };
  }
}

function afterTyping(draft: FieldDraft, text: string, context: FieldContext): FieldStep {
  const { rules } = context;
  const before = shownField(draft, context);
  const isOpened = rules.opensOnBraces && hasBraces(text) && !hasBraces(before.text);
  const mode = isOpened && rules.expression !== null ? 'expression' : before.mode;
  return withText({ ...draft, mode }, text, rules);
}

function withText(draft: FieldDraft, text: string, rules: FieldRules): FieldStep {
  const reading = formatOf(rules, draft.mode ?? 'value').read(text);
  if ('problem' in reading) {
    return { draft: { ...draft, text, value: undefined, problem: reading.problem }, effect: { kind: 'hold' } };
  }
  const { value } = reading;
  return {
    draft: { ...draft, text, value: value as Json | undefined, problem: null },
    effect: { kind: 'change', value },
  };
}

/** A text that is stored is shown as its value from now on. One that cannot be stored stays, and so does one that was
 * carried from one mode to the other: it may be carried back. */
function afterLeaving(draft: FieldDraft, context: FieldContext): FieldDraft {
  if (draft.isChosen || shownField(draft, context).problem !== null) return draft;
  return { ...draft, ...noText, mode: null };
}

function afterToggle(draft: FieldDraft, context: FieldContext): FieldStep {
  const { rules } = context;
  const before = shownField(draft, context);
  const mode = before.mode === 'value' ? 'expression' : 'value';
  const chosen = { ...draft, mode, isChosen: true } as const;
  if (rules.sharesText || draft.aside === null) {
    const carried = carriedText(before, mode, rules);
    if (carried !== null) return withText({ ...chosen, aside: null }, carried, rules);
  }
  const aside = { text: draft.text === null ? null : before.text, value: context.value as Json | undefined };
  const kept = draft.aside ?? {
    text: null,
    value: canShow(formatOf(rules, mode), context.value) ? context.value : undefined,
  };
  if (kept.text !== null) return withText({ ...chosen, aside }, kept.text, rules);
  const cleared = { ...chosen, ...noText, aside };
  return { draft: cleared, effect: { kind: 'change', value: kept.value } };
}

/** The text for the other mode: the same one, or that of its value; null if the other mode can show neither. */
function carriedText(before: ShownField, mode: FieldMode, rules: FieldRules): string | null {
  const format = formatOf(rules, mode);
  const own = formatOf(rules, before.mode).read(before.text);
  if (rules.sharesText && meansTheSame(own, format.read(before.text))) return before.text;
  if ('value' in own && canShow(format, own.value)) return format.show(own.value);
  return rules.sharesText ? before.text : null;
}

/** Whether a text may stay when it is read in another way. One in quotes is not the text that it means. */
function meansTheSame(before: Reading, after: Reading): boolean {
  if ('problem' in after) return false;
  return 'problem' in before || typeof after.value !== 'string' || isSame(before.value, after.value);
}

function formatOf({ value, expression }: FieldRules, mode: FieldMode): Format {
  return mode === 'expression' && expression !== null ? expression : value;
}

function hasBraces(text: string): boolean {
  return text.includes('{{');
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  return isSameJson(one as Json, other as Json);
}
