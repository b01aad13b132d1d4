import fc from 'fast-check';
import type { Operation } from '../support/openapi.ts';
import { Existing, type FieldHints } from './schema-arbitrary.ts';

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

/** A placeholder for one of the existing objects of a kind. */
export function existing(kind: string): fc.Arbitrary<Existing> {
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

/** Values for fields by name, which their schemas cannot describe. */
export function fieldHints(): FieldHints {
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
    ['password', fc.constant(password)],
    ['current_password', fc.constant(password)],
  ]);
}

/** More specific kinds for the parameters of some paths. */
const referringIn: readonly (readonly [part: string, kinds: Readonly<Record<string, string>>])[] = [
  ['/collaborators/', { username: 'collaborator' }],
  ['/variables/', { name: 'variable' }],
  ['/schedule/', { slug: 'scheduled workflow', node_id: 'scheduled node' }],
  ['/cancel/', { execution_id: 'open execution' }],
  ['/resume/', { execution_id: 'interrupted execution' }],
  ['/retry/', { execution_id: 'failed execution' }],
  ['/replay/', { execution_id: 'ended execution' }],
  ['/callbacks/', { token: 'callbacks' }],
  ['/answers/', { token: 'answers' }],
];

/** The kind of object to which a parameter of a path refers; undefined for none. */
export function kindOfParameter(path: string, name: string): string | undefined {
  const narrower = referringIn.find(([part]) => path.includes(part))?.[1];
  return narrower?.[name] ?? referring[name];
}

type Fields = Readonly<Record<string, unknown>>;

/** The node that asks a person, in the workflow that each user has. */
export const askingNode = 'a';

/** Of everybody, so that logins succeed. */
export const password = 'a password of some length';

const login = { username: fc.constantFrom('first', 'second'), password: fc.constant(password) };

/** Fields of bodies that have another meaning than in other requests. */
const fieldsIn: Readonly<Record<string, Readonly<Record<string, fc.Arbitrary<unknown>>>>> = {
  'POST /api/v1/executions/{execution_id}/resume/': {
    node_id: fc.constant(askingNode),
    frame: fc.constant(undefined),
  },
  'POST /api/v1/auth/token/': login,
  'POST /api/v1/auth/session/': { ...login, api_key: fc.constant(undefined), setup_token: fc.constant(undefined) },
  'POST /api/v1/workflows/{slug}/execute/': {
    trigger_node_id: fc.constantFrom(undefined, 'start', 'start_wait', 'start_failure'),
    version: fc.constant(undefined),
    to_node: fc.constant(undefined),
  },
  'POST /api/v1/workflows/{slug}/graph/': {
    operations: fc.constantFrom<unknown[]>(
      [],
      [{ op: 'create_node', node: { node_id: 'z', component_type: 'template' } }],
      [{ op: 'update_node', node_id: 'a', changes: { position_y: 40 } }],
    ),
  },
  'POST /api/v1/executions/{execution_id}/replay/': {
    from_node: fc.constantFrom('a', 'hook', 'start'),
    to_node: fc.constant(undefined),
    overrides: fc.constantFrom(undefined, {}),
    version: fc.constant(undefined),
  },
};

/** Whole bodies, for schemas whose fields are seldom valid together. */
const bodiesOf: Readonly<Record<string, fc.Arbitrary<Fields>>> = {
  'POST /api/v1/schedules/times/': fc.record({ cron: fc.constantFrom('0 4 * * *', '*/5 9-17 * * 1-5') }),
  'PATCH /api/v1/workflows/{slug}/nodes/{node_id}/': fc.record({ position_x: fc.integer({ min: -99, max: 99 }) }),
  'PATCH /api/v1/workflows/{slug}/edges/{edge_id}/': fc.record({ priority: fc.nat({ max: 9 }) }),
};

/** Mostly with the fields that this operation needs. */
export function hintedBody(name: string, body: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const whole = bodiesOf[name];
  if (whole !== undefined) return fc.oneof(whole, body);
  const hints = fieldsIn[name];
  return hints === undefined ? body : mostly(body, fc.record(hints));
}

const factSpace: fc.Arbitrary<Fields> = fc.oneof(
  fc.record({
    scope: fc.constantFrom(undefined, 'workflow'),
    workflow_slug: existing('slug'),
    user_id: fc.constant(undefined),
  }),
  fc.record({
    scope: fc.constant('user'),
    workflow_slug: fc.constant(undefined),
    user_id: fc.constantFrom('p', 'q'),
  }),
  fc.constant({ scope: 'global', workflow_slug: undefined, user_id: undefined }),
);
const factKey = fc.constantFrom('color', 'home', 'pet');
const nothing = fc.constant(undefined);

/** Parameters of a query that are valid together. */
const queriesOf: Readonly<Record<string, fc.Arbitrary<Fields>>> = {
  'GET /api/v1/memory/facts/': together(
    factSpace,
    fc.oneof(fc.record({ key: factKey, q: nothing }), fc.record({ key: nothing })),
  ),
  'PUT /api/v1/memory/facts/': together(factSpace, fc.record({ key: factKey })),
  'DELETE /api/v1/memory/facts/': together(
    factSpace,
    fc.oneof(fc.record({ key: factKey, all: nothing }), fc.constant({ key: undefined, all: 'true' })),
  ),
  'DELETE /api/v1/memory/people/': fc.record({ user_id: fc.constantFrom('p', 'q') }),
};

/** Mostly with the parameters that this operation needs. */
export function hintedQuery({ name }: Operation, query: fc.Arbitrary<Fields>): fc.Arbitrary<Fields> {
  const hints = queriesOf[name];
  return hints === undefined ? query : mostly(query, hints);
}

function together(first: fc.Arbitrary<Fields>, second: fc.Arbitrary<Fields>): fc.Arbitrary<Fields> {
  return fc.tuple(first, second).map(([one, other]) => ({ ...one, ...other }));
}

/** Three of four objects have these fields in place of their own. */
function mostly<Value>(values: fc.Arbitrary<Value>, hints: fc.Arbitrary<Fields>): fc.Arbitrary<Value> {
  const changed = fc.tuple(values, hints).map(([value, fields]) => ({ ...value, ...fields }));
  return fc.oneof({ weight: 3, arbitrary: changed }, { weight: 1, arbitrary: values });
}
