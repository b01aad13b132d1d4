import { exactJson, exactJsonText, exactNumber, isObject, type Json } from '@millrace/core/editing';
import type { FieldRules, Format, Reading } from '../../state/fields/field-draft.ts';
import type { Field, FieldKind } from '../fields/field.ts';
import { cronFormat } from './cron-checks.ts';
import { durationText, parseDuration } from './duration.ts';
import { mapFormat } from './map-entries.ts';
import { rowsFormat } from './text-rows.ts';
import { textOf } from './values.ts';

type KindOf<Kind extends FieldKind['kind']> = Extract<FieldKind, { readonly kind: Kind }>;

/** Text as it is; empty text means that the field is not set. */
const textFormat: Format = {
  read: (text) => ({ value: text === '' ? undefined : text }),
  show: textOf,
};

const unset: Reading = { value: undefined };

/** Text of one line. */
function lineFormat({ length, isTrimmed = false }: KindOf<'text'>): Format {
  return {
    read: (text) => {
      const meant = isTrimmed ? text.trim() : text;
      if (meant === '') return unset;
      return length !== undefined && meant.length > length
        ? { problem: `Must have at most ${length} characters.` }
        : { value: meant };
    },
    show: textOf,
  };
}

/** Text in a part of a field: the name of a route, or an expression without braces. */
export const partRules: FieldRules = {
  value: { read: (text) => ({ value: text.trim() === '' ? undefined : text }), show: textOf },
  expression: null,
  sharesText: true,
  opensOnBraces: false,
  modeOf: () => 'value',
};

/** Any JSON. */
const jsonFormat: Format = {
  read: (text) => {
    if (text.trim() === '') return unset;
    try {
      return { value: exactJson(text) };
    } catch (error) {
      return { problem: `Must be JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.` };
    }
  },
  show: (value) => (value === undefined ? '' : exactJsonText(value, 2)),
};

/** A list as JSON. */
const listFormat: Format = {
  read: (text) => {
    const reading = jsonFormat.read(text);
    const isOther = 'value' in reading && reading.value !== undefined && !Array.isArray(reading.value);
    return isOther ? { problem: 'Must be a list in [ ].' } : reading;
  },
  show: jsonFormat.show,
};

/** A whole text that is an expression: no JSON begins with two braces. */
function isExpression(text: string): boolean {
  return text.trim().startsWith('{{');
}

/** JSON, or an expression instead of all of it. */
function expressibleJson(format: Format): Format {
  return {
    read: (text) => {
      if (isExpression(text)) return { value: text.trim() };
      const reading = format.read(text);
      if (!('problem' in reading) || !text.includes('{{')) return reading;
      return { problem: `${reading.problem} An expression in it is in quotes: "{{ … }}".` };
    },
    show: (value) => (typeof value === 'string' && isWholeExpression(value) ? value : format.show(value)),
  };
}

function jsonKind(format: Format): KindFormat {
  return { format, expressions: expressibleJson(format), sharesText: true };
}

function isWholeExpression(value: string): boolean {
  return isExpression(value) && value === value.trim();
}

/** A value of a kind, or text with an expression instead. */
function expressible(format: Format): Format {
  return {
    read: (text) => {
      const reading = format.read(text);
      return 'problem' in reading && text.includes('{{') ? { value: text.trim() } : reading;
    },
    show: (value) => (typeof value === 'string' && value.includes('{{') ? value : format.show(value)),
  };
}

function numberFormat({ minimum, maximum, isWhole }: KindOf<'number'>): Format {
  const issue = (number: number): string | null => {
    if (isWhole && !Number.isInteger(number)) return 'Must be a whole number.';
    if (minimum !== null && number < minimum) return `Must be at least ${minimum}.`;
    return maximum !== null && number > maximum ? `Must be at most ${maximum}.` : null;
  };
  return {
    read: (text) => {
      const typed = text.trim();
      if (typed === '') return unset;
      if (!/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(typed)) return { problem: 'Must be a number.' };
      const value = exactNumber(typed);
      if (typeof value === 'string') return { problem: 'Has too many digits: the number would be rounded.' };
      const problem = issue(value);
      return problem === null ? { value } : { problem };
    },
    show: textOf,
  };
}

function durationFormat({ unit }: KindOf<'duration'>): Format {
  return {
    read: (text) => {
      if (text.trim() === '') return unset;
      const value = parseDuration(text, unit);
      return value === null ? { problem: 'Must be a duration, for example 90s, 5m or 1h 30m.' } : { value };
    },
    show: (value) => (typeof value === 'number' ? durationText(value, unit) : textOf(value)),
  };
}

function choiceFormat({ options }: KindOf<'choice'>): Format {
  return {
    read: (text) => {
      if (text === '') return unset;
      return options.includes(text) ? { value: text } : { problem: `Must be one of ${options.join(', ')}.` };
    },
    show: textOf,
  };
}

/** A count that must be given. */
export const countRules: FieldRules = {
  value: requiredCount(),
  expression: null,
  sharesText: true,
  opensOnBraces: false,
  modeOf: () => 'value',
};

function requiredCount(): Format {
  const { read, show } = numberFormat({ kind: 'number', minimum: 1, maximum: null, isWhole: true, unit: null });
  return { read: (text) => (text.trim() === '' ? { problem: 'Must be a whole number.' } : read(text)), show };
}

const switchFormat: Format = {
  read: (text) => {
    const trimmed = text.trim();
    if (trimmed === '') return unset;
    return trimmed === 'true' || trimmed === 'false'
      ? { value: trimmed === 'true' }
      : { problem: 'Must be true or false.' };
  },
  show: textOf,
};

/** A value that is edited with several input elements. Its text is JSON of one shape, and never a text value. */
function partsFormat({ kind }: FieldKind): Format {
  const shape = lists.has(kind) ? 'a list in [ ]' : objects.has(kind) ? 'an object in { }' : null;
  const hasShape = (value: unknown): boolean => {
    if (typeof value === 'string') return false;
    return value === undefined || shape === null || (lists.has(kind) ? Array.isArray(value) : isObject(value as Json));
  };
  return {
    read: (text) => {
      const reading = jsonFormat.read(text);
      if ('problem' in reading || hasShape(reading.value)) return reading;
      return { problem: `Must be an expression in {{ }}, or ${shape ?? 'JSON without quotes around it'}.` };
    },
    show: jsonFormat.show,
  };
}

const lists: ReadonlySet<FieldKind['kind']> = new Set(['texts', 'choices', 'objects', 'rules']);
const objects: ReadonlySet<FieldKind['kind']> = new Set(['map', 'object', 'variants']);

const anyRules: FieldRules = {
  value: expressibleJson(jsonFormat),
  // Any text is a value.
  expression: textFormat,
  sharesText: true,
  opensOnBraces: false,
  modeOf: (value) => (typeof value === 'string' ? 'expression' : 'value'),
};

interface KindFormat {
  readonly format: Format;
  readonly expressions: Format | null;
  readonly sharesText: boolean;
}

/** How a field is edited. */
export function rulesOf({ field, takesExpression }: Pick<Field, 'field' | 'takesExpression'>): FieldRules {
  if (field.kind === 'any') return anyRules;
  const { format, expressions, sharesText } = formatsOf(field);
  const hasExpressions = takesExpression && expressions !== null;
  return {
    value: hasExpressions && sharesText ? expressions : format,
    expression: hasExpressions ? expressions : null,
    sharesText,
    opensOnBraces: field.kind !== 'json',
    modeOf: (value) => (typeof value === 'string' && value.includes('{{') ? 'expression' : 'value'),
  };
}

function formatsOf(kind: FieldKind): KindFormat {
  switch (kind.kind) {
    case 'text':
      return { format: lineFormat(kind), expressions: lineFormat(kind), sharesText: true };
    case 'cron':
      return { format: cronFormat, expressions: null, sharesText: true };
    case 'prompt':
    case 'markdown':
    case 'code':
    case 'expression':
    case 'model':
      return { format: textFormat, expressions: null, sharesText: true };
    case 'json':
      return jsonKind(kind.isList === true ? listFormat : jsonFormat);
    case 'any':
      return jsonKind(jsonFormat);
    case 'number':
      return withExpressions(numberFormat(kind), true);
    case 'duration':
      return withExpressions(durationFormat(kind), true);
    case 'choice':
      return withExpressions(choiceFormat(kind), false);
    case 'boolean':
      return withExpressions(switchFormat, false);
    case 'map':
      return { format: mapFormat(kind.isText), expressions: partsExpressions(kind), sharesText: false };
    case 'texts':
      return { format: rowsFormat, expressions: partsExpressions(kind), sharesText: false };
    default:
      return { format: partsFormat(kind), expressions: partsExpressions(kind), sharesText: false };
  }
}

/** Braces inside the JSON of several parts belong to one of the parts. */
function partsExpressions(kind: FieldKind): Format {
  const parts = partsFormat(kind);
  return {
    read: (text) => (isExpression(text) ? { value: text.trim() } : parts.read(text)),
    show: (value) => (typeof value === 'string' ? value : parts.show(value)),
  };
}

function withExpressions(format: Format, sharesText: boolean): KindFormat {
  return { format, expressions: expressible(format), sharesText };
}
