import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { graph, node, catalogue as types } from '../../test/graphs.ts';
import type { Catalogue } from '../component/component.ts';
import type { Graph } from '../graph/graph.ts';
import type { JsonObject } from '../json.ts';
import { validateGraph, validatingGraph } from './validate.ts';

/** The test catalogue's types, accepting any config. */
const config = z.record(z.string(), z.json());
const open = new Map([...types].map(([type, component]) => [type, { ...component, config }]));
const step = open.get('step');
if (step === undefined) throw new Error('the test catalogue has no step');
const port = { name: 'value', description: 'A value.', required: true } as const;
const { run: _run, ...noStep } = step;

/** The same types, one type that needs a model, and the model. */
const catalogue: Catalogue = new Map([
  ...open,
  ['agent', { ...step, type: 'agent', subInputs: [{ ...port, name: 'model', dataType: 'llm' }] }],
  ['model', { ...noStep, type: 'model', inputs: [], outputs: [{ ...port, dataType: 'llm' }] }],
  [
    'ask',
    {
      ...step,
      type: 'ask',
      links: ['approve_url'],
      outputs: [...step.outputs, { ...port, name: 'approve_url', dataType: 'text' }],
    },
  ],
  ['text', { ...step, type: 'text', outputs: [{ ...port, dataType: 'text' }] }],
  [
    'list',
    {
      ...step,
      type: 'list',
      inputs: [{ ...port, dataType: 'array', suppliedBy: ['value'] }],
      outputs: [{ ...port, dataType: 'array' }],
    },
  ],
]);

function codes(checked: Graph): string[] {
  return validateGraph(checked, catalogue).map(({ code, severity }) => (severity === 'error' ? code : `(${code})`));
}

function messages(checked: Graph): string[] {
  return validateGraph(checked, catalogue).map(({ message }) => message);
}

const start = node('start', 'start');

describe('a graph', () => {
  it('that can run has no issues', () => {
    const rules = { rules: [{ id: 'hot', field: 'a', operator: 'exists' }], enable_fallback: true };
    const nodes = [start, node('route', 'switch', rules), node('a', 'step'), node('b', 'step'), node('end', 'gather')];
    const checked = graph(nodes, 'start -> route\nroute -[hot]-> a\nroute -[__other__]-> b\na -> end\nb -> end');
    expect(codes(checked)).toEqual([]);
  });

  it('without a trigger has one issue for that, and none for its consequences', () => {
    expect(codes({ nodes: [], edges: [] })).toEqual(['(no_trigger)']);
    expect(codes({ nodes: [node('a', 'step')], edges: [] })).toEqual(['(no_trigger)']);
  });

  it('reports nodes that no trigger reaches', () => {
    const checked = graph([start, node('a', 'step'), node('b', 'step'), node('c', 'step')], 'start -> a\nb -> c');
    expect(messages(checked)).toEqual([
      "No path leads from a trigger to node 'b', so it never runs.",
      "No path leads from a trigger to node 'c', so it never runs.",
    ]);
  });

  it('reports unknown types with a suggestion', () => {
    expect(messages({ nodes: [start, node('a', 'stepp')], edges: [] })).toEqual([
      "Node 'a' has the unknown component type 'stepp'. Did you mean 'step'?",
    ]);
  });

  it('reports edges to and from nodes that do not exist, once for each node', () => {
    const checked = graph([start, node('a', 'step')], 'start -> a\na -> nowhere\nnobody -> a');
    expect(codes(checked)).toEqual(['missing_node', 'missing_node']);
    expect(messages(checked)[0]).toBe("The edge a -> nowhere names node 'nowhere', which does not exist.");
  });

  it('reports nodes of a condition mapping that do not exist, and accepts __end__', () => {
    const checked = graph([start, node('a', 'step')], 'start -> a');
    const edges = checked.edges.map((edge) => ({ ...edge, conditionMapping: { x: 'a', y: '__end__', z: 'gone' } }));
    expect(messages({ ...checked, edges })).toEqual(["The edge start -> a names node 'gone', which does not exist."]);
  });

  it('reports edges with types that do not match', () => {
    const checked = graph([start, node('model', 'model'), node('items', 'list')], 'start -> items\nmodel -> items');
    expect(messages(checked)).toEqual([
      "Source type 'model' output 'value' (llm) is not compatible with target 'list' input 'value' (array)",
    ]);
  });
});

describe('an edge with types that do not match', () => {
  const list = (config: JsonObject) => node('items', 'list', config);
  const between = (source: string, config: JsonObject) =>
    validateGraph(graph([start, node('a', source), list(config)], 'start -> a\na -> items'), catalogue);
  const words = "Source type 'text' output 'value' (text) is not compatible with target 'list' input 'value' (array)";

  it('is an error', () => {
    const hint = expect.stringContaining("set 'value' of 'items': the edge then only orders execution");
    expect(between('text', {})).toEqual([{ code: 'edge_types', severity: 'error', edgeId: 2, message: words, hint }]);
    expect(between('model', { value: [1] })).toContainEqual(expect.objectContaining({ severity: 'error', edgeId: 2 }));
  });

  it('is no issue if the config supplies the input, so that the edge only orders execution', () => {
    expect(between('text', { value: [1] })).toEqual([]);
  });
});

describe('a connection', () => {
  const nodes = [start, node('ai', 'agent'), node('model', 'model')];

  it('that a node needs is reported in the documented words if it is missing', () => {
    expect(messages(graph(nodes, 'start -> ai'))).toEqual(["Node 'ai' is missing required 'model' connection"]);
  });

  it('counts if it has the label and its source exists', () => {
    const checked = graph(nodes, 'start -> ai\nmodel -> ai\nmissing -> ai');
    const labelled = checked.edges.map((edge) => (edge.id === 1 ? edge : { ...edge, edgeLabel: 'llm' as const }));
    expect(codes({ nodes, edges: labelled.slice(0, 2) })).not.toContain('missing_connection');
    expect(codes({ nodes, edges: [...labelled.slice(0, 1), ...labelled.slice(2)] })).toContain('missing_connection');
  });
});

describe('a cycle', () => {
  it('is an error that names its nodes', () => {
    const checked = graph([start, node('a', 'step'), node('b', 'step')], 'start -> a\na -> b\nb -> a');
    expect(messages(checked)).toEqual([
      expect.stringMatching(/^Edges form a cycle: (a -> b -> a|b -> a -> b)\. Remove one of them\./),
    ]);
  });

  it('is also found if no trigger leads to it', () => {
    expect(codes(graph([start, node('a', 'step'), node('b', 'step')], 'a -> b\nb -> a'))).toContain('cycle');
  });

  it('does not exist if the way back is a loop_return edge', () => {
    const nodes = [start, node('each', 'loop'), node('b', 'step')];
    expect(codes(graph(nodes, 'start -> each\neach -loop_body-> b\nb -loop_return-> each'))).toEqual([]);
  });

  it('is found quickly in a graph of the largest size', () => {
    const names = Array.from({ length: 2000 }, (_, index) => `n${index}`);
    const lines = names.slice(1).map((name, index) => `n${index} -> ${name}`);
    const checked = graph(
      [start, ...names.map((name) => node(name, 'step'))],
      ['start -> n0', ...lines, 'n1999 -> n0'].join('\n'),
    );
    expect(codes(checked)).toEqual(['cycle']);
  });
});

describe('errors and routes', () => {
  const onError = (policy: string) => node('a', 'step', { on_error: policy });
  const withError = (policy: string) => graph([start, onError(policy), node('b', 'step')], 'start -> a\na -error-> b');

  it('on_error route needs an error edge', () => {
    expect(codes(graph([start, onError('route')], 'start -> a'))).toEqual(['missing_error_edge']);
    expect(codes(withError('route'))).toEqual([]);
  });

  it.each(['stop', 'continue'])('an error edge is never taken with on_error %s', (policy) => {
    expect(codes(withError(policy))).toEqual(['(unused_error_edge)']);
  });

  it.each([
    [
      { rules: [{ id: 'hot' }] },
      "The edge to 'b' has the route 'hott', which switch 's' never takes. Did you mean 'hot'?",
    ],
    [{}, "The edge to 'b' has the route 'hott', which switch 's' never takes."],
    [{ expression: 'trigger.payload.kind' }, null],
    [{ rules: [{ id: '{{ trigger.payload.kind }}' }] }, null],
    [{ rules: [{ id: 'hott' }] }, null],
  ])('a switch with %j and an edge for hott', (config, message) => {
    const checked = graph([start, node('s', 'switch', config), node('b', 'step')], 'start -> s\ns -[hott]-> b');
    const found = validateGraph(checked, catalogue).filter(({ code }) => code === 'unused_route');
    expect(found.map((issue) => issue.message)).toEqual(message === null ? [] : [message]);
  });

  it('the fallback route needs enable_fallback', () => {
    const checked = graph([start, node('s', 'switch'), node('b', 'step')], 'start -> s\ns -[__other__]-> b');
    expect(messages(checked)).toContain(
      "The edge to 'b' has the route '__other__', which switch 's' never takes. Turn on enable_fallback.",
    );
  });

  it('a switch without rules and expression cannot decide', () => {
    for (const config of [{}, { enable_fallback: true }, { rules: [] }]) {
      const checked = graph([start, node('s', 'switch', config)], 'start -> s');
      expect(codes(checked)).toContain('(missing_setting)');
      expect(messages(checked)).toContain("Switch 's' has no rules and no expression: set one of them");
    }
    expect(codes(graph([start, node('s', 'switch', { expression: 'a' })], 'start -> s'))).toEqual([]);
  });
});

describe('names in expressions', () => {
  const found = (text: string): string[] => {
    const nodes = [start, node('a', 'step'), node('b', 'step', { text })];
    return validateGraph(graph(nodes, 'start -> a\na -> b'), catalogue).map(({ message }) => message);
  };
  const where = "Node 'b', extra_config.text:";

  it.each([
    '{{ trigger.payload.anything.at.all }} {{ trigger.text }}',
    '{{ a.output.x }} {{ nodes.a.output }} {{ nodes.start.payload }}',
    '{{ a.error.message }}',
    '{{ input.x + vars.y }} {{ run.id }}',
    '{{ gone.output | default(1) }} {{ gone is defined }}',
    'a.b.c and gone.output',
  ])('that exist, or may be missing, are accepted: %s', (text) => {
    expect(found(text)).toEqual([]);
  });

  it.each([
    ['{{ stat.payload }}', `${where} Unknown name 'stat' (line 1, column 4) Did you mean 'start'?`],
    ['x\n {{ nodes.gone.output }}', `${where} Unknown name 'gone' (line 2, column 11)`],
    ['{{ a.outptu }}', `${where} Node 'a' has no port 'outptu' (line 1, column 6) Did you mean 'output'?`],
    ['{{ nodes.a.nothing }}', `${where} Node 'a' has no port 'nothing' (line 1, column 12)`],
    ['{{ trigger.paylod }}', `${where} 'trigger' has no 'paylod' (line 1, column 12) Did you mean 'payload'?`],
    ['{{ a.output | uper }}', expect.stringMatching(/uper.*upper/)],
    ['{{ a.output', expect.stringMatching(/line 1/)],
  ])('that do not exist are errors with their path: %s', (text, message) => {
    expect(found(text)).toEqual([message]);
  });

  it('may be missing in a rule that tests whether they exist', () => {
    const rule = (operator: string) => node('s', 'switch', { rules: [{ id: 'x', field: 'gone.output', operator }] });
    const check = (operator: string) =>
      codes(graph([start, rule(operator), node('a', 'step')], 'start -> s\ns -[x]-> a'));
    expect(check('exists')).toEqual([]);
    expect(check('equals')).toEqual(['unknown_name']);
  });
});

describe('the order of a run', () => {
  const says = (nodeId: string, text: string) => node(nodeId, 'step', { text });
  const where = (nodeId: string) => `Node '${nodeId}', extra_config.text:`;

  it('lets a node name all nodes that lead to it', () => {
    const nodes = [
      start,
      node('a', 'step'),
      node('b', 'step'),
      says('c', '{{ start.payload }} {{ a.output }} {{ nodes.b.error }}'),
    ];
    expect(codes(graph(nodes, 'start -> a\na -error-> b\nb -> c'))).toEqual([]);
  });

  it('does not let it name itself, later nodes, or those that only start other runs', () => {
    const other = node('other', 'start');
    const nodes = [start, other, says('a', '{{ a.output }}{{ b.output }}{{ other.payload }}'), node('b', 'step')];
    expect(messages(graph(nodes, 'start -> a\na -> b'))).toEqual([
      `${where('a')} Node 'a' cannot have run before it (line 1, column 4)`,
      `${where('a')} Node 'b' cannot have run before it (line 1, column 18)`,
      `${where('a')} Node 'other' cannot have run before it (line 1, column 32)`,
    ]);
  });

  it('causes a warning for nodes that may run at the same time, unless there is a default', () => {
    const branches = 'start -> a\nstart -> b';
    expect(codes(graph([start, says('a', '{{ b.output }}'), node('b', 'step')], branches))).toEqual(['(unordered)']);
    expect(codes(graph([start, says('a', '{{ b.output | default(1) }}'), node('b', 'step')], branches))).toEqual([]);
  });

  it('is that of the parent for a node that is used as a tool', () => {
    const nodes = [
      start,
      node('ai', 'agent'),
      says('use', '{{ start.payload }}{{ before.output }}{{ ai.output }}'),
      node('m', 'model'),
      node('before', 'step'),
      says('after', '{{ before.output }}{{ ai.output }}{{ use.output }}'),
    ];
    const text = 'start -> before\nbefore -> ai\nuse -tool-> ai\nm -llm-> ai\nai -> after';
    expect(messages(graph(nodes, text)).filter((message) => message.includes('have run'))).toEqual([
      `${where('use')} Node 'ai' cannot have run before it (line 1, column 42)`,
      `${where('after')} Node 'use' cannot have run before it (line 1, column 38)`,
    ]);
  });

  it('does not change for the other nodes after a node that is also used as a tool', () => {
    const nodes = [start, node('use', 'step'), says('a', '{{ use.output }}'), node('ai', 'agent'), node('m', 'model')];
    const text = 'start -> use\nuse -> a\nstart -> ai\nuse -tool-> ai\nm -llm-> ai';
    expect(codes(graph(nodes, text)).filter((code) => code.includes('run'))).toEqual([]);
  });

  it('does not matter for the links of a node, which have values before it runs', () => {
    const nodes = [start, says('a', '{{ ask }}{{ ask.approve_url }}{{ ask.output }}'), node('ask', 'ask')];
    expect(messages(graph(nodes, 'start -> a\na -> ask'))).toEqual([
      `${where('a')} Node 'ask' cannot have run before it (line 1, column 34)`,
    ]);
  });
});

describe('a join', () => {
  const waiting = (count: number) => node('end', 'gather', { join: { count } });
  const nodes = [start, node('s', 'switch'), node('a', 'step'), node('b', 'step')];
  const text = 'start -> s\ns -[x]-> a\ns -[y]-> end\ns -[z]-> end\na -> end\na -error-> end';

  it('may wait for as many edges as can be taken in one run', () => {
    expect(codes(graph([...nodes.slice(0, 3), waiting(2)], text))).toEqual([
      '(missing_setting)',
      '(unused_route)',
      '(unused_route)',
      '(unused_route)',
    ]);
    const found = messages(graph([...nodes.slice(0, 3), waiting(3)], text));
    expect(found).toContain("Node 'end' waits for 3 edges, but at most 2 that lead to it can be taken in one run.");
  });

  it('of a trigger waits for nothing', () => {
    expect(codes(graph([node('start', 'start', { join: { count: 2 } }), node('a', 'step')], 'start -> a'))).toEqual([]);
  });
});

describe('a route', () => {
  const rules = [{ id: 'x', field: 'a', operator: 'exists' }];
  const check = (config: JsonObject, text: string) =>
    codes(graph([start, node('s', 'switch', config), node('b', 'step')], text));

  it('has an edge, or falls back', () => {
    expect(check({ rules }, 'start -> s\ns -[x]-> b')).toEqual([]);
    expect(check({ rules }, 'start -> s\nstart -> b')).toEqual(['(unused_rule)']);
    expect(check({ rules, enable_fallback: true }, 'start -> s\ns -[__other__]-> b')).toEqual([]);
    expect(check({ rules, enable_fallback: true }, 'start -> s\ns -[x]-> b')).toEqual(['(unused_rule)']);
  });
});

describe('cycles', () => {
  it('are all reported, one by one', () => {
    const nodes = [start, ...['a', 'b', 'c', 'd'].map((name) => node(name, 'step'))];
    const found = messages(graph(nodes, 'start -> a\na -> b\nb -> a\nb -> c\nc -> d\nd -> c'));
    expect(found).toHaveLength(2);
  });
});

describe('names in the bodies of loops', () => {
  const nodes = (where: string, text: string) =>
    ['before', 'outer', 'a', 'inner', 'b', 'after'].map((nodeId) => {
      const type = nodeId === 'outer' || nodeId === 'inner' ? 'loop' : 'step';
      return node(nodeId, type, nodeId === where ? { url: text } : {});
    });
  const edges = [
    'start -> before\nbefore -> outer\nouter -loop_body-> a\na -> inner\ninner -loop_body-> b\nb -loop_return-> inner',
    'inner -loop_return-> outer\nouter -> after',
  ].join('\n');
  const found = (where: string, text: string) =>
    validateGraph(graph([start, ...nodes(where, text)], edges), catalogue).map(({ message }) => message);

  it.each([
    ['b', '{{ loop.item }} {{ loop.outer.index }} {{ a.output }} {{ before.output }}'],
    ['a', '{{ loop.total }} {{ before.output }}'],
    ['after', '{{ outer.results }} {{ before.output }}'],
  ])('of %s are accepted: %s', (where, text) => {
    expect(found(where, text)).toEqual([]);
  });

  it('can be used by a sub-component of a node in the body', () => {
    const parsed = [
      node('ai', 'agent'),
      node('m', 'model'),
      node('tool', 'step', { url: '{{ loop.item }}{{ a.output }}' }),
    ];
    const text = 'start -> each\neach -loop_body-> a\na -> ai\nai -loop_return-> each\nm -llm-> ai\ntool -tool-> ai';
    const all = [start, node('each', 'loop'), node('a', 'step'), ...parsed];
    expect(codes(graph(all, text)).filter((code) => code.includes('name') || code.includes('run'))).toEqual([]);
  });

  it.each([
    ['before', '{{ loop.item }}', "'loop' exists only inside the body of a loop"],
    ['a', '{{ loop.outer.item }}', "'loop.outer' exists only in nested loops"],
    ['a', '{{ outer.results }}', "Loop 'outer' has not ended yet while its body runs"],
    ['after', '{{ b.output }}', "Node 'b' is in the body of loop 'inner'"],
  ])('of %s are reported: %s', (where, text, message) => {
    expect(found(where, text)).toEqual([expect.stringContaining(message)]);
  });
});

it('pauses after each node, because the configs of a large graph take long to parse', () => {
  const nodes = Array.from({ length: 50 }, (_, index) => node(`n${index}`, 'step'));
  expect([...validatingGraph({ nodes, edges: [] }, catalogue)]).toHaveLength(50);
});
