import type { Field, FieldKind } from './field.ts';
import { kindOf } from './kind.ts';
import { plainSchema, type Schema, type UiHint } from './schema.ts';

/** Kinds whose text is used as it is written. */
const literalKinds: ReadonlySet<FieldKind['kind']> = new Set(['code', 'markdown', 'expression', 'cron', 'model']);

/** Kinds that are text, in which every component that is performed evaluates expressions. */
const textKinds: ReadonlySet<FieldKind['kind']> = new Set(['text', 'prompt']);

interface FieldOptions {
  /** Whether the component evaluates expressions in its texts. */
  readonly hasExpressions: boolean;
}

/** The fields of an object's schema, in its order. */
export function fieldsOf(schema: Schema, options: FieldOptions): readonly Field[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([key, property]) => {
    return { ...fieldOf(key, property, options), isRequired: required.has(key) };
  });
}

function fieldOf(key: string, schema: Schema, options: FieldOptions): Field {
  const { plain, takesExpression } = plainSchema(schema);
  const { description = '', default: defaultValue, examples = [], ui = {} } = schema;
  const field = kindOf({ ...plain, ui }, (inner) => fieldsOf(inner, options));
  const isText = textKinds.has(field.kind) && !(field.kind === 'text' && field.isCode === true);
  return {
    key,
    label: labelOf(key, ui),
    description,
    isRequired: false,
    field,
    takesExpression: options.hasExpressions && !literalKinds.has(field.kind) && (takesExpression || isText),
    defaultValue: defaultValue ?? undefined,
    example: examples[0],
    isAdvanced: ui.advanced === true,
    when: ui.when ?? {},
  };
}

/** Parts of keys that are not ordinary words. */
const spellings = new Map([
  ['url', 'URL'],
  ['id', 'ID'],
  ['json', 'JSON'],
  ['api', 'API'],
  ['ttl', 'Time to live'],
]);

/** `Accept errors` for `accept_errors`. The unit of a number stands beside it, not in its name. */
export function labelOf(key: string, { widget, unit }: UiHint = {}): string {
  if (widget?.endsWith('_credential')) return 'Credential';
  if (widget === 'model') return 'Model';
  const name = unit === undefined ? key : key.replace(/_(seconds|ms)$/, '');
  const text = name
    .split('_')
    .map((word) => spellings.get(word) ?? word)
    .join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The value that counts for a key: its own, else the default. */
function effective(fields: readonly Field[], values: Readonly<Record<string, unknown>>, key: string): unknown {
  return values[key] ?? fields.find((field) => field.key === key)?.defaultValue;
}

/** Whether a field matters for the values of the other keys. A field that is set is always shown. */
export function isShown(field: Field, fields: readonly Field[], values: Readonly<Record<string, unknown>>): boolean {
  if (values[field.key] !== undefined) return true;
  return Object.entries(field.when).every(([key, wanted]) => {
    const value = effective(fields, values, key);
    return wanted.includes(value) || (typeof value === 'string' && value.includes('{{'));
  });
}
