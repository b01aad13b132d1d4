import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemTimers } from '../../src/ground/clock.ts';
import { type Member, WholeApp } from '../support/whole-app.ts';
import {
  componentFields,
  edgeFields,
  executionFields,
  type Field,
  logFields,
  nodeFields,
  workflowFields,
} from './field-rows.ts';

type Fields = Readonly<Record<string, unknown>>;

let whole: WholeApp;
let member: Member;
const path = '/api/v1/workflows/fields';
const made: Record<string, Fields> = {};

beforeAll(async () => {
  // Not the shortened delays: on a busy machine they would end the `wait` of the request before the run ends.
  whole = await WholeApp.start(systemTimers);
  member = await whole.member('owner');
  made.workflow = (await member.post('/api/v1/workflows/', { name: 'Fields', slug: 'fields' })).body as Fields;
  await member.post(`${path}/nodes/`, { node_id: 'hook', component_type: 'trigger_webhook' });
  made.node = (
    await member.post(`${path}/nodes/`, {
      node_id: 'say',
      component_type: 'template',
      config: { extra_config: { template: 'Hello' } },
    })
  ).body as Fields;
  const edge = { source_node_id: 'hook', target_node_id: 'say' };
  made.edge = (await member.post(`${path}/edges/`, edge)).body as Fields;
  const run = (await member.post(`${path}/execute/`, { wait: true })).body as Fields;
  made.execution = (await member.get(`/api/v1/executions/${run.execution_id}/`)).body as Fields;
  made.log = (made.execution.logs as Fields[])[0] ?? {};
});

afterAll(() => whole.close());

/** The field exists, has its type, and its default if it was left out. */
function check(object: Fields | undefined, { name, shape, absent }: Field): void {
  expect(object).toHaveProperty(name);
  expect(shape.safeParse(object?.[name]).error?.issues).toBeUndefined();
  if (absent !== undefined) expect(object?.[name]).toEqual(absent);
}

test.each(workflowFields)('a workflow has $name: $says', (field) => check(made.workflow, field));
test.each(nodeFields)('a node has $name: $says', (field) => check(made.node, field));
test.each(edgeFields)('an edge has $name: $says', (field) => check(made.edge, field));
test.each(executionFields)('an execution has $name: $says', (field) => check(made.execution, field));
test.each(logFields)('a log entry has $name: $says', (field) => check(made.log, field));

test.each(componentFields)('every component type has $name: $says', async (field) => {
  const catalogue = (await member.get('/api/v1/workflows/node-types/')).body as Record<string, Fields>;
  expect(Object.keys(catalogue).length).toBeGreaterThan(10);
  for (const component of Object.values(catalogue)) check(component, field);
});
