import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { catalogue as types } from '../../test/graphs.ts';
import type { Catalogue, Component } from '../component/component.ts';
import type { Edge } from '../graph/graph.ts';
import { checkDsl } from './check.ts';
import { printEdgeText } from './edge-text.ts';
import { readDsl } from './read.ts';

const step = types.get('step');
if (step === undefined) throw new Error('the test catalogue has no step');
const { run: _run, ...noStep } = step;
const anything = z.json().optional();
const port = { name: 'value', description: 'A value.' } as const;
const slot = (name: string, dataType: 'llm' | 'tool' | 'memory', required = false) => ({
  ...port,
  name,
  dataType,
  required,
});

function component(type: string, extra: Partial<Component<never>> = {}): [string, Component<never>] {
  return [
    type,
    { ...step, type, config: z.strictObject({ url: anything, code: anything }), ...extra } as Component<never>,
  ];
}

const catalogue: Catalogue = new Map([
  component('trigger_webhook', { category: 'Triggers', inputs: [] }),
  component('switch', { config: z.strictObject({ rules: anything, enable_fallback: anything, expression: anything }) }),
  component('http_request'),
  component('code'),
  component('loop', { config: z.strictObject({ items: anything, concurrency: anything }) }),
  component('agent', { subInputs: [slot('model', 'llm', true), slot('tools', 'tool'), slot('memory', 'memory')] }),
  [
    'ai_model',
    {
      ...noStep,
      type: 'ai_model',
      category: 'Models',
      inputs: [],
      outputs: [{ ...port, dataType: 'llm' }],
      config: z.strictObject({}),
    },
  ],
  [
    'conversation_memory',
    {
      ...noStep,
      type: 'conversation_memory',
      inputs: [],
      outputs: [{ ...port, dataType: 'memory' }],
      config: z.strictObject({ turns: anything }),
    },
  ],
  component('calculator', { outputs: [{ ...port, dataType: 'tool' }] }),
]);

const world = { catalogue, credentials: new Map([['main', 7]]), workflows: new Map(), checkSchema: () => null };

function check(text: string) {
  return checkDsl(readDsl(`name: T\n${text}`, catalogue), world);
}

function edgesOf(text: string): (string | null)[] {
  return (check(text).workflow?.graph.edges ?? []).map((edge: Edge) => printEdgeText(edge));
}

function found(text: string): string[] {
  return check(text).issues.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`);
}

describe('steps', () => {
  it('follow each other, starting at the trigger', () => {
    const text =
      'trigger: webhook\nsteps:\n  - {id: a, type: http, url: x}\n  - {id: b, type: code, code: y, policies: {join: any}}\n';
    const { workflow, issues } = check(text);
    expect(issues).toEqual([]);
    expect(edgesOf(text)).toEqual(['start -> a', 'a -> b']);
    expect(
      workflow?.graph.nodes.map(({ nodeId, componentType, positionX }) => [nodeId, componentType, positionX]),
    ).toEqual([
      ['start', 'trigger_webhook', 0],
      ['a', 'http_request', 250],
      ['b', 'code', 500],
    ]);
    expect(workflow?.graph.nodes[2]?.config.extra_config).toEqual({ code: 'y', join: 'any' });
  });

  it('that a route leads to follow only the route; other steps follow the previous step', () => {
    const text = [
      'trigger: {type: webhook, id: hook, label: In}',
      'steps:',
      '  - id: sort',
      '    type: switch',
      '    rules:',
      '      - {field: hook.payload, operator: exists, route: a}',
      '      - {id: late, field: hook.payload, operator: exists, route: b}',
      '    default: c',
      '  - {id: a, type: code}',
      '  - {id: a2, type: code}',
      '  - {id: b, type: code}',
      '  - {id: c, type: code}',
      '  - {id: end, type: code, after: [a2, b, c]}',
    ].join('\n');
    expect(found(text)).toEqual([]);
    expect(edgesOf(text)).toEqual([
      'hook -> sort',
      'sort -[a]-> a',
      'sort -[late]-> b',
      'sort -[__other__]-> c',
      'a -> a2',
      'a2 -> end',
      'b -> end',
      'c -> end',
    ]);
    expect(check(text).workflow?.graph.nodes[1]?.config.extra_config).toEqual({
      rules: [
        { id: 'a', field: 'hook.payload', operator: 'exists' },
        { id: 'late', field: 'hook.payload', operator: 'exists' },
      ],
      enable_fallback: true,
    });
  });
});

describe('steps with nested parts', () => {
  it('in a loop run for each item, and return to the loop', () => {
    const text = [
      'trigger: webhook',
      'steps:',
      '  - id: each',
      '    type: loop',
      '    over: "{{ start.output }}"',
      '    concurrency: 2',
      '    body:',
      '      - {id: a, type: code}',
      '      - {id: b, type: code}',
      '  - {id: after_all, type: code}',
    ].join('\n');
    expect(edgesOf(text)).toEqual([
      'start -> each',
      'each -loop_body-> a',
      'a -> b',
      'b -loop_return-> each',
      'each -> after_all',
    ]);
    const each = check(text).workflow?.graph.nodes[1];
    expect(each?.config.extra_config).toEqual({ items: '{{ start.output }}', concurrency: 2 });
  });

  it('in a loop return to it if nothing follows them, in each branch of a switch and in nested loops', () => {
    const text = [
      'trigger: webhook',
      'steps:',
      '  - id: each',
      '    type: loop',
      '    body:',
      '      - {id: which, type: switch, rules: [{field: loop.item, operator: exists, route: a}], default: b}',
      '      - {id: a, type: code}',
      '      - {id: b, type: loop, over: [1], body: [{id: c, type: code}]}',
      '  - {id: after_all, type: code}',
    ].join('\n');
    expect(edgesOf(text)).toEqual([
      'start -> each',
      'each -loop_body-> which',
      'which -[a]-> a',
      'which -[__other__]-> b',
      'b -loop_body-> c',
      'c -loop_return-> b',
      'a -loop_return-> each',
      'b -loop_return-> each',
      'each -> after_all',
    ]);
    expect(check(text).issues).toEqual([]);
  });

  it('that use models, tools and a memory are connected to them', () => {
    const text = [
      'trigger: webhook',
      'model: {credential: main, model_name: small, temperature: 0}',
      'steps:',
      '  - {id: plain, type: agent, prompt: Help}',
      '  - {id: other, type: agent, model: large, tools: [calculator, {type: http, id: web, url: x}], memory: {turns: 5}}',
      '  - {id: third, type: agent, model: {id: own, model_name: tiny}}',
    ].join('\n');
    expect(edgesOf(text)).toEqual([
      'start -> plain',
      'model -llm-> plain',
      'plain -> other',
      'other_model -llm-> other',
      'other_calculator -tool-> other',
      'web -tool-> other',
      'other_memory -memory-> other',
      'other -> third',
      'own -llm-> third',
    ]);
    const nodes = new Map(check(text).workflow?.graph.nodes.map((node) => [node.nodeId, node]));
    expect(nodes.get('plain')?.config.system_prompt).toBe('Help');
    expect(nodes.get('other_model')?.config).toMatchObject({
      llm_credential_id: 7,
      model_name: 'large',
      temperature: 0,
    });
    expect(nodes.get('own')?.config).toMatchObject({ llm_credential_id: null, model_name: 'tiny' });
    expect(nodes.get('other_memory')?.config.extra_config).toEqual({ turns: 5 });
  });
});

describe('a text in the steps form', () => {
  it('has no nodes and edges next to its steps', () => {
    expect(found('trigger: webhook\nnodes: []\nlayout: {}')).toEqual([
      "3:1 form 'nodes' and 'trigger' cannot be combined: a text has either nodes and edges, or steps.",
      "4:1 form 'layout' and 'trigger' cannot be combined: a text has either nodes and edges, or steps.",
    ]);
    expect(found('nodes: []\nsteps: []')[1]).toBe(
      "3:1 form 'steps' and 'nodes' cannot be combined: a text has either nodes and edges, or steps.",
    );
  });

  it('has issues with the position of their cause', () => {
    const text = [
      'trigger: webhok',
      'steps:',
      '  - {type: code}',
      '  - {id: a, type: cod}',
      '  - {id: b, type: code, after: gone, cde: x}',
      '  - {id: c, type: switch, rules: [{field: x.y, operator: exists, route: nowhere}], default: 5}',
      '  - {id: d, type: agent, tools: [{url: x}], model: {modl_name: y}}',
      '  - [e]',
    ].join('\n');
    expect(found(text).filter((line) => !/unreachable|no_trigger|edge_types|missing_setting/.test(line))).toEqual([
      "2:10 unknown_component Node 'start' has the unknown component type 'trigger_webhok'. Did you mean 'trigger_webhook'?",
      "4:5 field 'id' is missing here.",
      "5:19 unknown_component Node 'a' has the unknown component type 'cod'. Did you mean 'code'?",
      "6:32 missing_node The edge gone -> b names node 'gone', which does not exist.",
      "6:38 unknown_key Unknown key 'cde'. Did you mean 'code'?",
      "7:73 missing_node The edge c -> nowhere names node 'nowhere', which does not exist.",
      "7:93 field 'default' must be the name of a step.",
      "8:34 field 'type' is missing here.",
      "8:53 unknown_key Unknown key 'modl_name'. Did you mean 'model_name'?",
      '9:5 field A step must be a map of keys and values.',
    ]);
  });

  it('needs no trigger and no steps', () => {
    expect(found('trigger: none\nsteps: []')).toEqual([
      '1:1 no_trigger The workflow has no trigger, so nothing can start it.',
    ]);
    expect(check('trigger: none\nsteps:').workflow).not.toBeNull();
  });
});
