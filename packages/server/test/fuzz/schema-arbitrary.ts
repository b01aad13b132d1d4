import fc from 'fast-check';
import type { Schema } from '../support/openapi.ts';

/** A placeholder in a generated value for an existing object; resolved when the request is sent. */
export class Existing {
  readonly kind: string;
  /** Its index, counted from the newest. */
  readonly pick: number;

  constructor(kind: string, pick: number) {
    this.kind = kind;
    this.pick = pick;
  }

  /** For the report of a failure. */
  toString(): string {
    return `<${this.kind} ${this.pick}>`;
  }
}

/** Generators for fields by name, for values that a schema cannot describe. */
export type FieldHints = ReadonlyMap<string, fc.Arbitrary<unknown>>;

interface Sources {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly hints: FieldHints;
}

/** Unusual text; schemas with patterns or lengths have their own generators. */
const text = fc.string({ unit: 'grapheme', maxLength: 20 });

/** Generates values that a schema of the document allows, with existing names in the fields that refer to objects. */
export class SchemaArbitraries {
  readonly #sources: Sources;
  readonly #json = fc.jsonValue({ maxDepth: 2 });

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** @param depth of the schema in the generated value */
  of(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
    const { $ref, anyOf, oneOf, allOf } = schema as { $ref?: string } & Record<'anyOf' | 'oneOf' | 'allOf', Schema[]>;
    if ($ref !== undefined) return this.#named($ref, depth);
    if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
    if ('const' in schema) return fc.constant(schema.const);
    const choices = anyOf ?? oneOf;
    if (choices !== undefined) return fc.oneof(...choices.map((choice) => this.of(choice, depth)));
    if (allOf !== undefined) return this.of(Object.assign({}, ...allOf) as Schema, depth);
    return this.#typed(schema, depth);
  }

  #named($ref: string, depth: number): fc.Arbitrary<unknown> {
    const name = $ref.replace('#/components/schemas/', '');
    // The schema of any JSON is recursive without end.
    if (name.startsWith('Json')) return this.#json;
    return this.of(this.#sources.schemas[name] ?? {}, depth);
  }

  #typed(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    switch (schema.type) {
      case 'string':
        return stringOf(schema);
      case 'integer':
      case 'number':
        return numberOf(schema);
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array': {
        const least = Number(schema.minItems ?? 0);
        return fc.array(this.of((schema.items ?? {}) as Schema, depth + 1), { minLength: least, maxLength: least + 3 });
      }
      case 'object':
        return this.#object(schema, depth);
      default:
        return this.#json;
    }
  }

  #object(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    const { properties, additionalProperties } = schema as {
      properties?: Readonly<Record<string, Schema>>;
      additionalProperties?: Schema | boolean;
    };
    if (properties === undefined) {
      const value = typeof additionalProperties === 'object' ? this.of(additionalProperties, depth + 1) : this.#json;
      return fc.dictionary(fc.string({ maxLength: 8 }), value, { maxKeys: 3 });
    }
    const required = new Set((schema.required ?? []) as string[]);
    const fields = Object.entries(properties).map(([name, field]) => [name, this.#field(name, field, depth)] as const);
    return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
  }

  /** A field with a generator mostly uses it; other fields use only their schema. */
  #field(name: string, schema: Schema, depth: number): fc.Arbitrary<unknown> {
    const hint = this.#sources.hints.get(name);
    const byItself = this.of(schema, depth + 1);
    return hint === undefined ? byItself : fc.oneof({ weight: 9, arbitrary: hint }, { weight: 1, arbitrary: byItself });
  }
}

function stringOf(schema: Schema): fc.Arbitrary<string> {
  const { pattern, format, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema as Record<string, unknown>;
  if (format === 'uuid') return fc.uuid({ version: 7 });
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern));
  const least = Number(minLength);
  const most = Number(maxLength);
  const usual = fc.string({ unit: 'grapheme', minLength: least, maxLength: Math.min(most, least + 20) });
  // Mostly short strings, and sometimes the longest that is allowed.
  if (most > 20_000) return fc.oneof(usual, text);
  return fc.oneof({ weight: 20, arbitrary: usual }, { weight: 1, arbitrary: fc.constant('x'.repeat(most)) });
}

function numberOf(schema: Schema): fc.Arbitrary<number> {
  const { minimum, maximum, exclusiveMinimum } = schema as Record<string, number | undefined>;
  const min = minimum ?? (exclusiveMinimum === undefined ? -(2 ** 31) : exclusiveMinimum + 1);
  const max = Math.min(maximum ?? 2 ** 31, Number.MAX_SAFE_INTEGER);
  const least = Math.min(Math.max(min, -100), max);
  const usual = fc.integer({ min: least, max: Math.min(least + 200, max) });
  if (schema.type === 'number') return fc.oneof(usual, fc.double({ min, max, noNaN: true }));
  return fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(min, max) });
}
