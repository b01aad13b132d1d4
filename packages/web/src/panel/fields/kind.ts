import type { Field, FieldKind, Variant } from './field.ts';
import type { Schema, UiHint } from './schema.ts';

/** The fields of an object's schema. */
type FieldsOf = (schema: Schema) => readonly Field[];

/** The kind of field for a schema without expressions. */
export function kindOf(schema: Schema, fieldsOf: FieldsOf): FieldKind {
  return hintedKind(schema) ?? scalarKind(schema) ?? compoundKind(schema, fieldsOf) ?? { kind: 'json' };
}

function hintedKind({ ui = {}, items }: Schema): FieldKind | null {
  switch (ui.widget) {
    case 'prompt':
    case 'markdown':
    case 'code':
    case 'expression':
    case 'cron':
    case 'model':
      return { kind: ui.widget };
    case 'json':
      return { kind: 'json' };
    case 'path':
    case 'pattern':
      return { kind: 'text', isCode: true };
    case 'timezone':
    case 'workflow':
      return { kind: 'text', suggestions: ui.widget };
    case 'duration':
      return { kind: 'duration', unit: ui.unit === 'milliseconds' ? 'milliseconds' : 'seconds' };
    case 'rules':
    case 'item_rules':
      return { kind: 'rules', isRouting: items?.required?.includes('id') ?? false, isItem: ui.widget === 'item_rules' };
    case 'llm_credential':
      return { kind: 'credential', type: 'llm' };
    case 'tool_credential':
      return { kind: 'credential', type: 'tool' };
    case 'chat_bot_credential':
      return { kind: 'credential', type: 'chat_bot' };
    default:
      return null;
  }
}

function scalarKind(schema: Schema): FieldKind | null {
  const { type, anyOf, ui = {} } = schema;
  const options = textOptions(schema);
  if (options !== null) return { kind: 'choice', options };
  if (type === 'boolean') return { kind: 'boolean' };
  if (type === 'number' || type === 'integer') return numberKind(schema, ui);
  // Such texts are mostly times: a number among them is written as text as well.
  const isTextOrNumber = anyOf?.every((option) => option.type === 'string' || option.type === 'number') ?? false;
  return type === 'string' || isTextOrNumber ? { kind: 'text' } : null;
}

/** The limits of safe integers, which schemas of whole numbers contain. */
const farOut = 2 ** 53 - 1;

function numberKind({ type, minimum, exclusiveMinimum, maximum }: Schema, { unit }: UiHint): FieldKind {
  const least = minimum ?? exclusiveMinimum;
  return {
    kind: 'number',
    minimum: least === undefined || least <= -farOut ? null : least,
    maximum: maximum === undefined || maximum >= farOut ? null : maximum,
    isWhole: type === 'integer',
    unit: unit ?? null,
  };
}

function compoundKind(schema: Schema, fieldsOf: FieldsOf): FieldKind | null {
  const { type, properties, additionalProperties, items, oneOf } = schema;
  if (oneOf !== undefined) return variantsKind(oneOf, fieldsOf);
  if (type === 'object' && properties !== undefined) return { kind: 'object', fields: fieldsOf(schema) };
  if (type === 'object')
    return { kind: 'map', isText: typeof additionalProperties === 'object' && additionalProperties.type === 'string' };
  if (type === 'array' && items !== undefined) return listKind(items, fieldsOf) ?? { kind: 'json', isList: true };
  if (schema.anyOf !== undefined) return choiceOrCount(schema.anyOf);
  // A schema without a type accepts any JSON.
  return type === undefined ? { kind: 'any' } : null;
}

function listKind(items: Schema, fieldsOf: FieldsOf): FieldKind | null {
  const options = textOptions(items);
  if (options !== null) return { kind: 'choices', options };
  if (items.properties !== undefined) return { kind: 'objects', fields: fieldsOf(items) };
  if (items.type === 'string') return { kind: 'texts', suggestions: [] };
  const texts = items.anyOf ?? [];
  if (texts.length === 0 || texts.some(({ type }) => type !== 'string')) return null;
  return { kind: 'texts', suggestions: texts.flatMap((option) => textOptions(option) ?? []) };
}

function variantsKind(options: readonly Schema[], fieldsOf: FieldsOf): FieldKind | null {
  const [first] = options;
  const [key] = Object.entries(first?.properties ?? {}).find(([, { const: value }]) => value !== undefined) ?? [];
  if (key === undefined) return null;
  const variants = options.map((option): Variant => {
    const { [key]: distinguishing, ...properties } = option.properties ?? {};
    return {
      value: String(distinguishing?.const),
      description: distinguishing?.description ?? '',
      fields: fieldsOf({ ...option, properties }),
    };
  });
  return { kind: 'variants', key, variants };
}

function choiceOrCount(alternatives: readonly Schema[]): FieldKind | null {
  const [first, second, ...rest] = alternatives;
  const options = first && textOptions(first);
  const [[countKey, count] = [], ...others] = Object.entries(second?.properties ?? {});
  if (!options || countKey === undefined || count?.type !== 'integer' || rest.length + others.length > 0) return null;
  return { kind: 'choice-or-count', options, countKey };
}

function textOptions({ enum: options }: Schema): readonly string[] | null {
  if (options === undefined || options.length === 0) return null;
  return options.every((option) => typeof option === 'string') ? options : null;
}
