import fc from 'fast-check';
import { z } from 'zod';
import type { Catalogue } from '../src/component/component.ts';
import { nodeConfig } from '../src/component/node-config.ts';
import type { policies } from '../src/component/policies.ts';
import { type Edge, edgeLabels, type Graph, type Node, type Workflow } from '../src/graph/graph.ts';
import { catalogue as types } from './graphs.ts';

const step = types.get('step');
if (step === undefined) throw new Error('the test catalogue has no step');
const { run: _run, ...noStep } = step;
const anything = z.json().optional();

/**
 * Types whose configs cover everything that a text must distinguish: keys that the language also uses, and any others.
 */
export const catalogue: Catalogue = new Map(
  [
    {
      ...step,
      type: 'start',
      category: 'Triggers' as const,
      inputs: [],
      config: z.strictObject({ timeout: anything }),
    },
    { ...step, type: 'switch', config: z.strictObject({ rules: anything, enable_fallback: anything }) },
    {
      ...step,
      type: 'step',
      config: z.strictObject({ url: anything, body: anything, headers: anything, method: anything }),
    },
    {
      ...step,
      type: 'asks',
      config: z.strictObject({
        prompt: anything,
        id: anything,
        label: anything,
        credential: anything,
        priority: anything,
      }),
    },
    { ...step, type: 'free', config: z.looseObject({ zeta: anything, alpha: anything }) },
    { ...noStep, type: 'model', category: 'Models' as const, inputs: [], config: z.strictObject({ price: anything }) },
    { ...noStep, type: 'note', inputs: [], outputs: [], config: z.looseObject({ text: anything }) },
  ].map((component) => [component.type, component]),
);

/** Texts that YAML might parse as other values, and any others. */
const nasty = fc.constantFrom(
  '',
  ' ',
  'null',
  '~',
  'true',
  'No',
  '1',
  '-1',
  '0x1f',
  '1e3',
  '.5',
  '.inf',
  '1_000',
  '2026-01-01',
  '12:30',
  '-',
  '?',
  ':',
  '- a',
  'a: b',
  'a:',
  ': a',
  'a #b',
  '#a',
  '[a]',
  '{a}',
  'a, b',
  '"a"',
  "'a'",
  "it's",
  '|',
  '>',
  '&a',
  '*a',
  '!a',
  '%a',
  '@a',
  '`a',
  '<<',
  '=',
  'a\nb',
  'a\nb\n',
  '\na',
  ' a\nb',
  'a\n\n',
  'a\n b',
  '\ta',
  'a\t',
  'a\n\tb',
  'a \nb ',
  'a\r\nb',
  '---',
  '...',
  '--- a',
  '\u0085',
  '\u2028x',
  'a -> b',
  'ä 🙂 👩‍👧',
  '\u202ea',
  '\ufeffa',
  '\\',
  'a\\nb',
  '\u0007',
  'x'.repeat(120),
  '{a: 1',
  'constructor',
  'prototype',
  'toString',
);
const text = fc
  .oneof(nasty, fc.string({ unit: 'binary', maxLength: 12 }), fc.string({ unit: 'grapheme', maxLength: 40 }))
  .filter((value) => !value.includes('{{') && !value.includes('\0'));
const key = text.filter((value) => value !== '__proto__');
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })).map((value) => value + 0);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));

const { json } = fc.letrec<{ json: z.core.util.JSONType }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(key, tie('json'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

const object = fc.dictionary(key, json, { maxKeys: 3, noNullPrototype: true });
const names = ['start', 'a', 'b', 'route', 'model', 'trigger', 'nodes', '_x1'] as const;
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

/** Ids that have a name in `printNames`. */
export const knownIds = [3, 5, 8] as const;
const reference = fc.option(fc.constantFrom(...knownIds), { freq: 1 });
const sampling = maybe(fc.double({ noNaN: true, noDefaultInfinity: true, min: 0, max: 2 }));

const common = fc
  .record({
    system_prompt: maybe(text),
    llm_credential_id: maybe(reference),
    model_name: maybe(text),
    temperature: sampling,
    max_tokens: maybe(fc.integer({ min: 1 })),
    top_p: sampling,
    timeout: maybe(fc.integer({ min: 1, max: 31_536_000 })),
    max_retries: maybe(fc.nat()),
    response_format: maybe(json),
    credential_id: maybe(reference),
    is_active: maybe(fc.boolean()),
    priority: maybe(fc.integer()),
    trigger_config: maybe(object),
  })
  .map((config) => Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined)));

const policy = fc.constantFrom<z.infer<typeof policies>>(
  {},
  {},
  { retry: { max_attempts: 3, backoff: 'exponential' } },
  { timeout_seconds: 1.5, join: 'any' },
  { on_error: 'continue' },
);

function extraOf(type: string) {
  const component = catalogue.get(type);
  const shape = component?.config instanceof z.ZodObject ? Object.keys(component.config.shape) : [];
  const own = fc.dictionary(fc.constantFrom(...shape), json, { noNullPrototype: true });
  const isLoose = type === 'free' || type === 'note';
  const more = isLoose
    ? fc.dictionary(fc.oneof(key, fc.constantFrom('id', 'prompt', 'config')), json, { noNullPrototype: true })
    : fc.constant({});
  const taken = isLoose ? ['retry', 'join', 'on_error', 'timeout_seconds'] : [];
  return fc.tuple(own, more, component?.run === undefined ? fc.constant({}) : policy).map(([a, b, c]) => {
    const free = Object.entries(b).filter(([name]) => !taken.includes(name));
    return { ...Object.fromEntries(free), ...a, ...c };
  });
}

const type = fc.constantFrom(...catalogue.keys());

function nodeOf(nodeId: string, id: number): fc.Arbitrary<Node> {
  return type.chain((componentType) =>
    fc
      .record({
        label: fc.option(text),
        isEntryPoint: fc.boolean(),
        interruptBefore: fc.boolean(),
        interruptAfter: fc.boolean(),
        positionX: fc.integer({ min: -1000, max: 1000 }),
        positionY: fc.integer({ min: -1000, max: 1000 }),
        subworkflowId: reference,
        codeBlockId: fc.option(fc.integer({ min: 1 })),
        config: fc
          .tuple(common, extraOf(componentType))
          .map(([config, extra_config]) => nodeConfig.parse({ ...config, extra_config }) as Node['config']),
      })
      .map((fields) => ({ ...fields, id, nodeId, componentType, updatedAt: 0 })),
  );
}

const end = fc.oneof(
  fc.constantFrom(...names),
  text.filter((name) => name !== '').map((name) => name.slice(0, 200)),
);

const edge: fc.Arbitrary<Omit<Edge, 'id'>> = fc.record({
  sourceNodeId: end,
  targetNodeId: end,
  edgeType: fc.constant('direct'),
  edgeLabel: fc.constantFrom(...edgeLabels),
  conditionMapping: fc.option(fc.dictionary(key, text, { maxKeys: 3, noNullPrototype: true }), { freq: 1 }),
  conditionValue: fc.oneof(fc.constant(''), text),
  priority: fc.oneof(fc.constant(0), fc.integer()),
});

/** An edge from the switch in every graph, along any route. */
const route = fc
  .tuple(
    edge,
    text.filter((value) => value !== ''),
  )
  .map(
    ([fields, conditionValue]): Omit<Edge, 'id'> => ({
      ...fields,
      sourceNodeId: 'route',
      edgeType: 'conditional',
      edgeLabel: '',
      conditionValue,
    }),
  );

/** Graphs that the API would store: their nodes are valid, their edges may lead anywhere. */
export const graphs: fc.Arbitrary<Graph> = fc
  .tuple(
    fc.tuple(...names.filter((name) => name !== 'route').map((name, index) => nodeOf(name, index + 2))),
    fc.uniqueArray(fc.oneof(edge, route), {
      maxLength: 6,
      selector: (e) => JSON.stringify([e.sourceNodeId, e.targetNodeId, e.edgeType, e.edgeLabel, e.conditionValue]),
    }),
  )
  .map(([nodes, edges]) => ({
    nodes: [routeNode, ...nodes],
    edges: edges
      .filter(({ sourceNodeId, targetNodeId }) => sourceNodeId !== targetNodeId)
      .map((fields, index) => ({ ...fields, id: index + 1 })),
  }));

const routeNode: Node = {
  id: 1,
  nodeId: 'route',
  label: null,
  componentType: 'switch',
  isEntryPoint: false,
  interruptBefore: false,
  interruptAfter: false,
  positionX: 0,
  positionY: 0,
  config: nodeConfig.parse({}) as Node['config'],
  subworkflowId: null,
  codeBlockId: null,
  updatedAt: 0,
};

/** The fields of workflows that the API would store. */
export const workflows: fc.Arbitrary<Workflow> = fc.record({
  id: fc.constant(1),
  ownerId: fc.constant(1),
  name: text.filter((name) => /\S/.test(name)),
  slug: fc.constantFrom('wf', 'a-b', 'X_1', '1', '1e3', 'null'),
  description: text,
  isActive: fc.boolean(),
  isPublic: fc.boolean(),
  isDefault: fc.boolean(),
  mcp: fc.boolean(),
  budget: fc.option(
    fc
      .record({
        tokens: fc.option(fc.integer({ min: 1, max: 1_000_000 })),
        usd: fc.option(fc.double({ min: 0.01, max: 1000, noNaN: true })),
        period: fc.constantFrom('day', 'month'),
      })
      .filter(({ tokens, usd }) => tokens !== null || usd !== null),
  ),
  tags: fc.option(
    fc.array(
      text.map((tag) => [...tag].slice(0, 20).join('')),
      { maxLength: 3 },
    ),
  ),
  errorHandlerWorkflowId: reference,
  inputSchema: fc.option(object),
  outputSchema: fc.option(object),
  nodeCount: fc.constant(0),
  edgeCount: fc.constant(0),
  version: fc.constant(1),
  publishedVersion: fc.constant(null),
  maxExecutionSeconds: fc.integer({ min: 1, max: 86_400 }),
  concurrency: fc.option(fc.integer({ min: 1, max: 10_000 })),
  concurrencyKey: fc.option(fc.constantFrom('{{ trigger.payload.customer }}', 'a: b')),
  priority: fc.integer({ min: -100, max: 100 }),
  createdAt: fc.constant(0),
  updatedAt: fc.constant(0),
});
