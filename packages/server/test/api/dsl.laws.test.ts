import { dslExport, dslValidation, validation, workflowDetail } from '@millrace/contract';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { WholeApp } from '../matrix/whole-app.ts';
import { apiOf } from '../support/api.ts';

const app = await WholeApp.start();
afterAll(() => app.close());
const api = apiOf(app.server, (await app.addKey(await app.addUser('author'))).key);
const runs = Number(process.env.DSL_RUNS ?? 40);
const base = '/api/v1/workflows/';

/** The workflows that texts call: one that accepts anything, one that does not, and two that call the checked one. */
const callees: Readonly<Record<string, string>> = {
  leaf: '',
  strict: 'input_schema: {type: object, required: [email], properties: {age: {type: integer}}}',
  back: 'nodes: [{id: n, type: workflow, workflow: law}]',
  far: 'nodes: [{id: n, type: workflow, workflow: back}]',
};
for (const [slug, rest] of Object.entries(callees)) {
  const { status } = await api.post(`${base}import/`, { yaml_str: `name: Called\nslug: ${slug}\n${rest}\n` });
  if (status !== 201) throw new Error(`${slug} was not created`);
}

/** Nodes that are valid together or alone, and some that are neither. */
const nodes = fc.subarray([
  '{id: hook, type: trigger_webhook, response_mode: last_node}',
  '{id: hand, type: trigger_manual}',
  '{id: say, type: template, template: "Hello {{ trigger.payload.name }}"}',
  '{id: again, type: template, template: "{{ say.output }}", policies: {retry: {max_attempts: 2}}}',
  '{id: route, type: switch, rules: [{id: a, field: trigger.payload, operator: exists}], enable_fallback: true}',
  '{id: both, type: merge, policies: {join: any}}',
  '{id: model, type: ai_model, model_name: small}',
  '{id: other, type: ai_model, model_name: large, temperature: 0.5}',
  '{id: keep, type: filter}',
  '{id: note, type: notes}',
  '{id: calls, type: workflow, workflow: leaf, payload: {any: thing}}',
  '{id: gives, type: workflow, workflow: strict, payload: {email: "{{ trigger.payload.email }}", age: 5}}',
  '{id: named, type: workflow, workflow: "{{ trigger.text }}"}',
  '{id: daily, type: trigger_schedule, cron: 0 9 * * *, timezone: Europe/Berlin}',
  '{id: leap, type: trigger_schedule, cron: 0 0 29 2 *}',
  '{id: often, type: trigger_schedule, interval_seconds: 60}',
  '{id: rest, type: wait, duration: "{{ trigger.payload.n }}", unit: minutes}',
  '{id: await, type: wait, callback: true}',
]);
/** Nodes that prevent a workflow from running, but can be stored. */
const unfinished = fc.constantFrom(
  '{id: odd, type: template, template: "{{ nobody.output }}"}',
  '{id: ask, type: agent, prompt: Help}',
  '{id: odd, type: workflow, workflow: strict, payload: {age: "{{ trigger.payload.age }}"}}',
  '{id: odd, type: workflow, workflow: strict, payload: {email: x, age: old}}',
  '{id: odd, type: workflow, workflow: strict, payload: "Hello {{ trigger.payload.name }}"}',
  '{id: odd, type: workflow, workflow: nowhere}',
  '{id: odd, type: workflow, workflow: law}',
  '{id: odd, type: workflow, workflow: far}',
  '{id: odd, type: trigger_schedule, cron: 0 0 30 2 *}',
  '{id: odd, type: trigger_schedule, cron: 0 0 31W 4 *, is_active: false}',
  '{id: odd, type: trigger_schedule}',
  '{id: odd, type: wait, unit: days}',
  '{id: odd, type: wait, duration: 1, until: "2030-01-01"}',
);
const broken = fc.constantFrom(
  '{id: bad, type: templat}',
  '{id: bad, type: template, templat: x}',
  '{id: 1, type: notes}',
  '{type: notes}',
  '{id: note, type: notes, label: 5}',
);
const names = [
  'hook',
  'hand',
  'say',
  'again',
  'route',
  'both',
  'model',
  'other',
  'ask',
  'keep',
  'note',
  'calls',
  'gives',
  'daily',
  'rest',
  'odd',
  'gone',
];
const ends = fc.constantFrom(...names);
const pair = fc.tuple(ends, ends).filter(([a, b]) => a !== b);
const edge = fc.oneof(
  { weight: 6, arbitrary: pair.map(([a, b]) => `${a} -> ${b}`) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom('a', '__other__', 'x y'), ends).map(([value, b]) => `route -[${value}]-> ${b}`),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom('model', 'other'), ends).map(([a, b]) => `${a} -llm-> ${b}`) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(ends, ends, fc.integer({ min: -2, max: 2 }))
      .map(([[a, b], p]) => `{source_node_id: ${a}, target_node_id: ${b}, edge_label: error, priority: ${p}}`),
  },
);

const text = fc
  .record({
    nodes,
    broken: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: broken }),
    odd: fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 3, arbitrary: unfinished }),
    edges: fc.uniqueArray(edge, { maxLength: 8 }),
    header: fc.subarray([
      'tags: [a, b]',
      'description: "d: e"',
      'is_active: false',
      'concurrency: 3',
      'input_schema: {type: object}',
    ]),
    layout: fc.boolean(),
    /** Without unfinished nodes and edges to missing ones, more of the texts are valid. */
    isTidy: fc.boolean(),
  })
  .map((parts) => {
    const list = [...parts.nodes, ...(parts.isTidy ? [] : [parts.odd, parts.broken])].filter(
      (node) => node !== undefined,
    );
    const ids = new Set(list.map((node) => /id: (\w+)/.exec(node)?.[1]));
    const isThere = (word: string) => ids.has(word) || !names.includes(word);
    const edges = parts.edges.filter((line) => !parts.isTidy || (line.match(/\w+/g) ?? []).every(isThere));
    const section = (key: string, items: readonly string[]) =>
      items.length === 0 ? [] : [`${key}:`, ...items.map((item) => `  - ${item}`)];
    const layout =
      parts.layout && parts.nodes.length > 0
        ? ['layout:', ...parts.nodes.map((node, index) => `  ${/id: (\w+)/.exec(node)?.[1]}: [${index * 10}, 5]`)]
        : [];
    return ['name: Law', ...parts.header, ...section('nodes', list), ...section('edges', edges), ...layout, ''].join(
      '\n',
    );
  });

const validText = `name: Law
nodes:
  - {id: hand, type: trigger_manual}
  - {id: say, type: template, template: Hello}
edges:
  - hand -> say
`;

async function exported(slug: string): Promise<string> {
  return dslExport.parse((await api.get(`${base}${slug}/export/`)).body).yaml_str;
}

function codesOf(issues: readonly { readonly code: string }[]): readonly string[] {
  return issues.map(({ code }) => code).sort();
}

/** A workflow without the fields that depend only on its place in the store. */
async function content(slug: string) {
  const detail = workflowDetail.parse((await api.get(`${base}${slug}/`)).body);
  const names = new Map(detail.nodes.map((node) => [node.id, node.node_id]));
  const { id: _id, slug: _slug, version: _version, created_at: _made, updated_at: _changed, ...fields } = detail;
  const nodeList = detail.nodes
    .map(({ id: _own, updated_at: _at, position_x: _x, position_y: _y, config, ...node }) => {
      const model = config.llm_model_config_id === null ? null : names.get(config.llm_model_config_id);
      return { ...node, config: { ...config, llm_model_config_id: model } };
    })
    .sort((a, b) => a.node_id.localeCompare(b.node_id));
  const edges = detail.edges.map(({ id: _own, ...rest }) => rest);
  // The order of the edges at one node matters; the order of all others does not.
  const byTarget = Object.fromEntries(Map.groupBy(edges, (one) => one.target_node_id));
  const bySource = Object.fromEntries(Map.groupBy(edges, (one) => one.source_node_id));
  return { ...fields, nodes: nodeList, edges: edges.length, byTarget, bySource };
}

test('a text is valid exactly if it is accepted and its workflow is valid, and every way to import it gives the same workflow', {
  timeout: Math.max(300_000, 2000 * runs),
}, async () => {
  let count = 0;
  let accepted = 0;
  let sound = 0;
  await fc.assert(
    fc.asyncProperty(text, async (yaml_str) => {
      count += 1;
      const checked = dslValidation.parse((await api.post(`${base}validate-dsl/`, { yaml_str })).body);
      const { status } = await api.post(`${base}import/`, { yaml_str, slug: 'law' });
      if (status === 422) {
        expect(checked.valid).toBe(false);
        return;
      }
      accepted += 1;
      expect([200, 201]).toContain(status);
      const stored = validation.parse((await api.post(`${base}law/validate/`)).body);
      expect(stored.valid).toBe(checked.valid);
      expect(codesOf(stored.issues)).toEqual(codesOf(checked.issues));
      if (stored.valid) sound += 1;
      // Importing over an existing workflow and as a new one gives the same workflow.
      const fresh = `law-${count}`;
      expect((await api.post(`${base}import/`, { yaml_str, slug: fresh })).status).toBe(201);
      // An import leaves `is_active` unchanged unless the text sets it.
      const isKept = !/^is_active:/m.test(yaml_str);
      const [over, made] = [await content('law'), await content(fresh)];
      expect(isKept ? { ...over, is_active: true } : over).toEqual(isKept ? { ...made, is_active: true } : made);
      // Its canonical text gives the same workflow, and is stable.
      const canonical = await exported('law');
      expect((await api.post(`${base}import/`, { yaml_str: canonical, slug: fresh })).status).toBe(200);
      expect(await content(fresh)).toEqual(await content('law'));
      expect((await api.post(`${base}import/`, { yaml_str: canonical })).status).toBe(200);
      expect(await exported('law')).toBe(canonical);
    }),
    // One drawn text in eight is valid, so 40 may contain none by chance.
    { numRuns: runs, examples: [[validText]] },
  );
  expect(accepted).toBeGreaterThan(count / 4);
  expect(sound).toBeGreaterThan(0);
});
