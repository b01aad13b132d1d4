import fc from 'fast-check';
import type { OpenapiDocument, Operation, Parameter, Schema } from '../support/openapi.ts';
import type { Caller } from './pool.ts';
import { Existing, type FieldHints, SchemaArbitraries } from './schema-arbitrary.ts';
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

/** The kind of object to which a field or parameter of this name refers. */
const referring: Readonly<Record<string, string>> = {
  slug: 'slug',
  workflow_slug: 'slug',
  workflow_id: 'trashed',
  error_handler_workflow_id: 'workflow_id',
  subworkflow_id: 'workflow_id',
  node_id: 'node',
  source_node_id: 'node',
  target_node_id: 'node',
  trigger_node_id: 'node',
  edge_id: 'edge',
  execution_id: 'execution',
  credential_id: 'credential',
  llm_credential_id: 'credential',
  key_id: 'key',
  username: 'username',
  version: 'version',
};
const referringLists: Readonly<Record<string, string>> = {
  slugs: 'slug',
  execution_ids: 'execution',
  ids: 'credential',
};

/** Mostly one of the first few, which are the caller's own. */
const pick = fc.oneof({ weight: 9, arbitrary: fc.nat({ max: 3 }) }, { weight: 1, arbitrary: fc.nat({ max: 50 }) });

function existing(kind: string): fc.Arbitrary<Existing> {
  return pick.map((choice) => new Existing(kind, choice));
}

const expressions = ['{{ trigger.payload }}', '{{ trigger.payload.a + 1 }}', '{{ nodes.a.output }}', '{{', 'plain'];

/** Addresses that the outbound policy rejects, or that are invalid: tests send nothing. */
const addresses = ['http://127.0.0.1:9/', 'http://169.254.169.254/', 'http://[::1]/', 'ftp://example.invalid/', ''];

/** Workflows as texts: mostly valid ones, with a few names. */
const yaml = fc.oneof(
  fc.nat({ max: 9 }).map((n) => `name: T\nslug: text-${n}\nnodes:\n  - {id: start, type: trigger_manual}\n`),
  fc.constantFrom('name: T\nnodes:\n  - {id: a, type: template}\nedges:\n  - a -> a\n', 'name: [', '&a [*a]', ''),
);

function fieldHints(): FieldHints {
  const references = Object.entries(referring).map(([name, kind]) => [name, existing(kind)] as const);
  const lists = Object.entries(referringLists).map(
    ([name, kind]) => [name, fc.array(existing(kind), { maxLength: 2 })] as const,
  );
  // In a request to create an object, the name is a new one.
  return new Map<string, fc.Arbitrary<unknown>>([
    ...references.filter(([name]) => !['slug', 'node_id', 'username'].includes(name)),
    ...lists,
    ['node_id', fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')],
    ['username', fc.constantFrom('first', 'second', 'third', 'fourth')],
    ['component_type', fc.constantFrom('template', 'template', 'switch', 'trigger_webhook', 'no_such_type')],
    ['config', fc.constantFrom({}, {}, { extra_config: {} }, { priority: 1 }, { extra_config: { no_such: 1 } })],
    ['edge_type', fc.constantFrom('direct', 'direct', 'direct', 'conditional')],
    ['edge_label', fc.constantFrom('', '', '', 'error', 'loop_body', 'llm')],
    ['input_schema', fc.constantFrom(null, null, {}, { type: 'object' }, { required: ['a'] }, { type: 'nothing' })],
    ['output_schema', fc.constantFrom(null, null, {}, { type: 'object' })],
    ['yaml_str', yaml],
    ['template', fc.constantFrom(...expressions)],
    ['expression', fc.constantFrom(...expressions)],
    ['url', fc.constantFrom(...addresses)],
    ['base_url', fc.constantFrom(...addresses)],
    ['since', fc.constantFrom('2026-01-01', '2026-01-01T12:00:00Z')],
    ['until', fc.constantFrom('2100-01-01', '2100-01-01T12:00:00Z')],
    ['expires_at', fc.constantFrom(null, '2100-01-01', '2020-01-01')],
    ['is_admin', fc.constant(false)],
    // The same password for all, so that some logins succeed.
    ['password', fc.constant('a password of some length')],
    ['current_password', fc.constant('a password of some length')],
  ]);
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
      query: this.#query(parameters.filter((parameter) => parameter.in === 'query')),
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
    const allowed = this.#arbitraries.of(body.schema);
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

/** More specific kinds for the parameters of some paths. */
const referringIn: readonly (readonly [part: string, kinds: Readonly<Record<string, string>>])[] = [
  ['/collaborators/', { username: 'collaborator' }],
  ['/variables/', { name: 'variable' }],
  ['/schedule/', { slug: 'scheduled workflow', node_id: 'scheduled node' }],
];

function pathValue({ path }: Operation, name: string): fc.Arbitrary<unknown> {
  const narrower = referringIn.find(([part]) => path.includes(part))?.[1];
  const kind = narrower?.[name] ?? referring[name];
  if (kind === undefined) return stray;
  return fc.oneof({ weight: 12, arbitrary: existing(kind) }, { weight: 1, arbitrary: stray });
}
