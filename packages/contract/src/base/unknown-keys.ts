import { z } from 'zod';

/** Keys that a request schema accepts in addition to its shape. */
interface FurtherKeys {
  /** Fields of responses: they may be sent back; those that cannot be changed are ignored. */
  readonly shown?: readonly string[];
  /** The keys of a record whose values are validated elsewhere. */
  readonly keys?: readonly string[];
  /** The end of the message: where an unknown key most likely belongs. */
  readonly hint?: string;
}

/** The request schemas that accept more keys than their shape has. */
export const furtherKeys = z.registry<FurtherKeys>();

/** A key of a request that its schema does not have and would drop. */
export interface UnknownKey {
  readonly path: readonly (string | number)[];
  /** The keys of the schema at this position. */
  readonly known: readonly string[];
  readonly hint: string;
}

/**
 * The keys of a value that a schema drops, at any depth. Strict objects are omitted: zod rejects their unknown keys.
 */
export function unknownKeys(schema: z.ZodType, value: unknown): readonly UnknownKey[] {
  return keysIn({ schema, further: {} }, { value, path: [] });
}

interface Expected {
  readonly schema: z.core.$ZodType;
  readonly further: FurtherKeys;
}

interface Place {
  readonly value: unknown;
  readonly path: UnknownKey['path'];
}

function keysIn({ schema, further: outer }: Expected, place: Place): readonly UnknownKey[] {
  const further = furtherKeys.get(schema) ?? outer;
  if (schema instanceof z.ZodObject) return keysInObject(schema, further, place);
  if (schema instanceof z.ZodRecord) return further.keys === undefined ? [] : unknownOf(place, further.keys, further);
  if (schema instanceof z.ZodArray) {
    if (!Array.isArray(place.value)) return [];
    const { element } = schema;
    return place.value.flatMap((value: unknown, index) =>
      keysIn({ schema: element, further: {} }, { value, path: [...place.path, index] }),
    );
  }
  const inner = schema instanceof z.ZodUnion ? meantOption(schema, place.value) : innerOf(schema);
  return inner === undefined ? [] : keysIn({ schema: inner, further }, place);
}

function keysInObject(schema: z.ZodObject, further: FurtherKeys, place: Place): readonly UnknownKey[] {
  const { value, path } = place;
  if (!isRecord(value)) return [];
  const { shape, def } = schema;
  const own = def.catchall === undefined ? unknownOf(place, Object.keys(shape), further) : [];
  const deeper = Object.keys(value).flatMap((key) => {
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
    return field === undefined
      ? []
      : keysIn({ schema: field, further: {} }, { value: value[key], path: [...path, key] });
  });
  return [...own, ...deeper];
}

function unknownOf({ value, path }: Place, known: readonly string[], further: FurtherKeys): readonly UnknownKey[] {
  if (!isRecord(value)) return [];
  const { shown = [], hint = '' } = further;
  const names = new Set([...known, ...shown]);
  return Object.keys(value).flatMap((key) => (names.has(key) ? [] : [{ path: [...path, key], known, hint }]));
}

/** The inner schema of a wrapper such as optional or default. */
function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly
  )
    return schema.unwrap();
  return schema instanceof z.ZodPipe ? schema.in : undefined;
}

/** In a discriminated union, the option that the discriminator selects; otherwise the first that accepts the value. */
function meantOption(schema: z.ZodUnion, value: unknown): z.core.$ZodType | undefined {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) {
    return schema.options.find((option) => z.safeParse(option, value).success);
  }
  const name = schema.def.discriminator;
  if (!isRecord(value)) return undefined;
  return schema.options.find((option) => {
    const field = option instanceof z.ZodObject ? option.shape[name] : undefined;
    return field !== undefined && z.safeParse(field, value[name]).success;
  });
}

/** The fields of an object, or of all options of a union. */
export function fieldsOf(schema: z.core.$ZodType): readonly string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  return schema instanceof z.ZodUnion ? schema.options.flatMap(fieldsOf) : [];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
