import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { catalogue as types } from '../../test/graphs.ts';
import type { Catalogue } from '../component/component.ts';
import { checkDsl } from './check.ts';
import { readDsl } from './read.ts';

const step = types.get('step');
if (step === undefined) throw new Error('the test catalogue has no step');
const rule = z.strictObject({ id: z.string(), field: z.string(), operator: z.string() });
const { run: _run, ...noStep } = step;

const catalogue: Catalogue = new Map([
  ...[...types].map(([type, component]) => [type, { ...component, config: z.strictObject({}) }] as const),
  [
    'template',
    { ...step, type: 'template', config: z.strictObject({ template: z.string(), timeout: z.number().optional() }) },
  ],
  [
    'switch',
    {
      ...step,
      type: 'switch',
      config: z.strictObject({ rules: z.array(rule).optional() }),
      scopePaths: ['rules.*.field'],
    },
  ],
  ['ai_model', { ...noStep, type: 'ai_model', category: 'Models', config: z.strictObject({}), inputs: [] }],
]);

const world = {
  catalogue,
  credentials: new Map([
    ['main', 7],
    ['twin', null],
  ]),
  workflows: new Map([['other', 3]]),
  checkSchema: () => null,
};

function check(text: string) {
  return checkDsl(readDsl(text, catalogue), world);
}

function found(text: string): string[] {
  return check(text).issues.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`);
}

/** A text with a start node and these node lines. */
function withNodes(...lines: readonly string[]): string {
  return ['name: T', 'nodes:', '  - {id: start, type: start}', ...lines].join('\n');
}

describe('a text in the graph form', () => {
  const text = [
    'name: Ticket triage',
    'tags: [support]',
    'error_handler: other',
    'nodes:',
    '  - {id: start, type: start}',
    '  - id: say',
    '    type: template',
    '    label: Say it',
    '    template: "{{ start.payload }}"',
    '    timeout: 3',
    '    config: {timeout: 5}',
    '    subworkflow: other',
    '    policies: {retry: {max_attempts: 2}}',
    '  - {id: model, type: ai_model, credential: main, model_name: small, prompt: Hi}',
    'edges:',
    '  - start -> say',
    '  - {source_node_id: say, target_node_id: gone, edge_label: error, priority: 2}',
    'layout: {say: [10, -20]}',
  ].join('\n');

  it('becomes a workflow, with a slug derived from its name', () => {
    const { workflow, nodeCount, edgeCount } = check(text);
    expect({ nodeCount, edgeCount }).toEqual({ nodeCount: 3, edgeCount: 2 });
    expect(workflow).toMatchObject({
      header: { name: 'Ticket triage', slug: 'ticket-triage', tags: ['support'], isActive: null },
      errorHandlerId: 3,
      placed: new Set(['say']),
    });
  });

  it('has the config keys of its nodes at the level of the node', () => {
    const [, say, model] = check(text).workflow?.graph.nodes ?? [];
    expect(say).toMatchObject({ label: 'Say it', positionX: 10, positionY: -20, subworkflowId: 3 });
    expect(say?.config).toMatchObject({
      timeout: 5,
      extra_config: { template: '{{ start.payload }}', timeout: 3, retry: { max_attempts: 2 } },
    });
    expect(model?.config).toMatchObject({ llm_credential_id: 7, model_name: 'small', system_prompt: 'Hi' });
  });

  it('may describe an unfinished workflow, which is not valid but can be stored', () => {
    const { isValid, workflow, issues } = check(text);
    expect(isValid).toBe(false);
    expect(workflow).not.toBeNull();
    expect(issues.map(({ code }) => code)).toEqual(['missing_node']);
  });
});

describe('the issues of a text', () => {
  it('are all found at once, in the order of the text', () => {
    const text = withNodes(
      '  - {id: start, type: step}',
      '  - {id: say, type: templat}',
      '  - {id: 1st, type: step}',
      '  - {type: step}',
      'edges:',
      '  - start -> gone',
      '  - start - say',
      '  - start -llmm-> say',
      '  - {source_node_id: start, target: say}',
      'layuot: {}',
    );
    expect(found(text)).toEqual([
      "4:10 duplicate Another node also has the id 'start'.",
      "5:21 unknown_component Node 'say' has the unknown component type 'templat'. Did you mean 'template'?",
      '6:10 field id: must begin with a letter or _, and contain only letters, digits and _, at most 255',
      "7:5 field 'id' is missing here.",
      "9:5 missing_node The edge start -> gone names node 'gone', which does not exist.",
      "10:5 field An edge is 'a -> b', 'a -label-> b' or 'a -[route]-> b', or a map of its fields.",
      "11:5 field Unknown edge label 'llmm'. Did you mean 'llm'?",
      '12:5 field target_node_id: Field required',
      "12:29 unknown_key Unknown key 'target'.",
      "13:1 unknown_key Unknown key 'layuot'. Did you mean 'layout'?",
    ]);
  });
});

describe('a key in the wrong place', () => {
  it.each([
    ['an edge', 'on_error: branch', "It belongs on a node, under 'policies'."],
    ['an edge', 'max_attempts: 2', "It belongs on a node, in 'retry', under 'policies'."],
    ['an edge', 'concurrency: 2', 'It belongs to the workflow, at the top level.'],
    ['an edge', 'system_prompt: x', 'It belongs on a node.'],
    ['the workflow', 'on_error: branch', "It belongs on a node, under 'policies'."],
    ['the workflow', 'edge_label: error', 'It belongs on an edge.'],
    ['the workflow', 'system_prompt: x', 'It belongs on a node.'],
  ])('of %s is reported with the right place: %s', (place, line, hint) => {
    const own = place === 'an edge' ? `, ${line}` : '';
    const text = [
      'name: T',
      ...(own === '' ? [line] : []),
      'nodes: [{id: a, type: step}, {id: b, type: step}]',
      `edges: [{source_node_id: a, target_node_id: b${own}}]`,
    ].join('\n');
    const [key] = line.split(':');
    expect(found(text)).toContainEqual(expect.stringMatching(`unknown_key Unknown key '${key}'. ${hint}$`));
  });
});

describe('an issue of a text', () => {
  it.each([
    [
      '  - {id: say, type: template, template: 5}',
      ["4:41 config Node 'say', extra_config.template: must be text, not a number"],
    ],
    [
      '  - {id: say, type: template, templat: x}',
      [
        "4:10 config Node 'say', extra_config.template: Field required",
        "4:31 unknown_key Unknown key 'templat'. Did you mean 'template'?",
      ],
    ],
    ['  - {id: s, type: step, retry: {}}', ["4:25 unknown_key Unknown key 'retry'. It belongs under 'policies'."]],
    ['  - {id: s, type: step, policies: {retri: {}}}', ["4:36 unknown_key Unknown key 'retri'. Did you mean 'retry'?"]],
    [
      '  - {id: s, type: step, policies: {retry: {max_attempts: 99}}}',
      ["4:58 config Node 's', extra_config.retry.max_attempts: must be at most 20"],
    ],
    ['  - {id: s, type: step, temperature: hot}', ["4:38 config Node 's', temperature: must be a number, not text"]],
    [
      '  - {id: s, type: step, prompt: a, system_prompt: b}',
      ["4:36 duplicate 'system_prompt' occurs twice, under two names."],
    ],
    [
      '  - {id: s, type: step, llm_model_config_id: 4}',
      ["4:25 unknown_key Unknown key 'llm_model_config_id'. An edge labelled 'llm' sets it."],
    ],
    [
      '  - {id: m, type: ai_model, credential: mainn}',
      ["4:41 unknown_credential There is no credential named 'mainn'. Did you mean 'main'?"],
    ],
    [
      '  - {id: m, type: ai_model, credential: twin}',
      ["4:41 unknown_credential Several credentials are named 'twin': give them different names."],
    ],
    ['  - {id: m, type: ai_model, credential: 7}', ['4:41 field credential: must be text, not a number']],
    [
      '  - {id: s, type: step, subworkflow: gone}',
      ["4:38 unknown_workflow There is no workflow 'gone' that you can see."],
    ],
    [
      '  - {id: m, type: ai_model}\nlayout: {m: [1.5, 0], n: [0, 0]}',
      ['5:14 field m.0: must be a whole number', "5:23 unknown_key Unknown key 'n'."],
    ],
    ['  - [a]', ['4:5 field A node must be a map of keys and values.']],
    ['edges: {a: b}', ["4:8 field 'edges' must be a list."]],
    ['slug: import', ['4:7 field slug: is a reserved word']],
    ['concurrency: 0', ['4:14 field concurrency: must be at least 1']],
    [
      'concurrency_key: "{{ foo }}"',
      ["4:18 field concurrency_key: There is no 'foo' here: only trigger and input are known so early."],
    ],
    [
      '  - {id: s, type: step}\nedges: ["start -[a]-> s"]',
      ["5:9 edge_rule Conditional edges can only originate from 'switch' nodes"],
    ],
  ])('has the position of its cause: %s', (line, issues) => {
    const warnings = ['unreachable'];
    const all = check(withNodes(line)).issues.filter(({ code }) => !warnings.includes(code));
    expect(all.map((i) => `${i.line}:${i.column} ${i.code} ${i.message}`)).toEqual(issues);
  });
});

describe('the issues of a text', () => {
  it('include errors in expressions inside configs', () => {
    const rules = '  - {id: s, type: switch, rules: [{id: a, field: strt.payload, operator: equals}]}';
    const text = withNodes(
      '  - id: say',
      '    type: template',
      '    template: "{{ strt.x }}"',
      rules,
      'edges: [start -> say, start -> s]',
    );
    expect(found(text).filter((line) => !line.includes('unused_rule'))).toEqual([
      "6:15 unknown_name Node 'say', extra_config.template: Unknown name 'strt' (line 1, column 4) Did you mean 'start'?",
      "7:50 unknown_name Node 's', extra_config.rules[0].field: Unknown name 'strt' (line 1, column 1) Did you mean 'start'?",
    ]);
  });

  it('include a missing name, and a name that makes no slug', () => {
    expect(found('nodes: []')[0]).toBe("1:1 field A workflow needs 'name'.");
    expect(found('name: "?"')[1]).toBe("1:7 field Give a 'slug': none can be derived from the name.");
    expect(found('- a')).toEqual(['1:1 field A workflow must be a map of keys and values.']);
  });

  it('are limited in number', () => {
    const many = Array.from({ length: 3000 }, (_, index) => `key${index}: 1`).join('\n');
    const { issues, isValid, workflow } = check(`name: T\n${many}`);
    expect({ listed: issues.length, isValid, workflow }).toEqual({ listed: 501, isValid: false, workflow: null });
    expect(issues.at(-1)).toMatchObject({ code: 'more_issues', severity: 'warning' });
  });
});
