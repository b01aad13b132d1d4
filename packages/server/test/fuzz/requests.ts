import fc from 'fast-check';
import type { OpenapiDocument, Operation, Parameter, Schema } from '../support/openapi.ts';
import { existing, fieldHints, hintedBody, hintedQuery, kindOfParameter } from './hints.ts';
import type { Caller } from './pool.ts';
import { SchemaArbitraries } from './schema-arbitrary.ts';
import { type Spoiling, spoiling } from './spoil.ts';

/** A request to send; references to existing objects are resolved when it is sent. */
export interface Step {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly auth: 'own key' | 'wrong key' | 'no key';
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** How the body is broken; null for a body that its schema allows. */
  readonly spoiled: Spoiling | null;
  readonly hasSlash: boolean;
}

/** Values of path parameters besides the ids of existing objects. */
const stray = fc.constantFrom(
  'missing',
  '0',
  '-1',
  '999999',
  '1e3',
  'x'.repeat(300),
  '%00',
  '%F0%9F%99%82',
  '..%2f',
  '1 ',
);

/** Generates requests for every endpoint: valid ones, broken ones, and unauthorized ones. */
export class Requests {
  readonly #arbitraries: SchemaArbitraries;
  readonly #catalogue: Readonly<Record<string, { readonly config_schema: Schema }>>;

  constructor(document: OpenapiDocument, catalogue: Readonly<Record<string, { readonly config_schema: Schema }>>) {
    this.#arbitraries = new SchemaArbitraries({ schemas: document.components.schemas, hints: fieldHints() });
    this.#catalogue = catalogue;
  }

  /** A request for any operation; those that create are more frequent than those that delete. */
  any(operations: readonly Operation[]): fc.Arbitrary<Step> {
    const weigh = ({ answers }: Operation): number => (answers.has('201') ? 5 : answers.has('204') ? 1 : 2);
    return fc.oneof(...operations.map((operation) => ({ weight: weigh(operation), arbitrary: this.of(operation) })));
  }

  of(operation: Operation): fc.Arbitrary<Step> {
    const { parameters } = operation;
    const path = parameters
      .filter((parameter) => parameter.in === 'path')
      .map(({ name }) => [name, pathValue(operation, name)]);
    const step: fc.Arbitrary<Step> = fc.record({
      operation: fc.constant(operation),
      caller: fc.constantFrom<Caller>('first', 'second'),
      auth: fc.oneof(
        { weight: 30, arbitrary: fc.constant<Step['auth']>('own key') },
        { weight: 1, arbitrary: fc.constantFrom<Step['auth']>('wrong key', 'no key') },
      ),
      path: fc.record(Object.fromEntries(path) as Record<string, fc.Arbitrary<unknown>>),
      query: hintedQuery(operation, this.#query(parameters.filter((parameter) => parameter.in === 'query'))),
      body: this.#body(operation),
      spoiled: operation.body === null ? fc.constant(null) : sometimesSpoiled,
      hasSlash: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    });
    // The report of a failure contains a transcript, so names are enough here.
    return step.map((made) => ({ ...made, [fc.toStringMethod]: () => operation.name }));
  }

  #query(parameters: readonly Parameter[]): fc.Arbitrary<Readonly<Record<string, unknown>>> {
    const broken = fc.constantFrom('', '-1', '0', 'x', '1e3', '99999999999', '\u0000');
    const fields = parameters.map(({ name, schema }) => {
      const allowed = this.#arbitraries.of({ type: 'object', required: [name], properties: { [name]: schema } });
      const value = allowed.map((object) => (object as Record<string, unknown>)[name]);
      return [name, fc.oneof({ weight: 12, arbitrary: value }, { weight: 1, arbitrary: broken })] as const;
    });
    // Most requests omit most optional fields.
    const maybe = fields.map(([name, value]) => [name, fc.option(value, { nil: undefined, freq: 1 })] as const);
    return fc.record(Object.fromEntries(maybe));
  }

  #body({ name, body }: Operation): fc.Arbitrary<unknown> {
    if (body === null) return fc.constant(undefined);
    const allowed = hintedBody(name, this.#arbitraries.of(body.schema));
    if (name === 'POST /api/v1/workflows/{slug}/nodes/') return fc.oneof(this.#newNode(), allowed);
    return body.isRequired ? allowed : fc.option(allowed, { nil: undefined });
  }

  /**
   * A node of an existing type, mostly with default config, otherwise with a config that matches the schema of the
   * type.
   */
  #newNode(): fc.Arbitrary<unknown> {
    const nodes = Object.entries(this.#catalogue).map(([type, { config_schema }]) => {
      const extra = this.#arbitraries.of(config_schema);
      return fc.record(
        {
          component_type: fc.constant(type),
          node_id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
          config: fc.oneof(fc.constant({}), fc.record({ extra_config: extra })),
        },
        { requiredKeys: ['component_type'] },
      );
    });
    return fc.oneof(...nodes);
  }
}

/** One body in five is broken. */
const sometimesSpoiled = fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: spoiling });

function pathValue({ path }: Operation, name: string): fc.Arbitrary<unknown> {
  const kind = kindOfParameter(path, name);
  if (kind === undefined) return stray;
  return fc.oneof({ weight: 12, arbitrary: existing(kind) }, { weight: 1, arbitrary: stray });
}
