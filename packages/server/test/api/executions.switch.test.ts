import { catalogue } from '@millrace/components';
import type { Json, JsonObject } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Person, type Running, startRunning } from '../support/running.ts';

let running: Running;
let member: Person;
beforeEach(async () => {
  running = await startRunning({ catalogue });
  member = await running.addPerson('member');
});

/** A manual trigger, `size` that routes a list of three or more to `many` and any other to `few`, and their merge. */
const flow = (size: string) => `
name: Lists
slug: lists
nodes:
  - {id: start, type: trigger_manual}
  - ${size}
  - {id: many, type: filter, rules: [{field: item, operator: gt, value: 1}]}
  - {id: few, type: transform}
  - {id: both, type: merge, mode: first}
edges:
  - start -> size
  - size -[large]-> many
  - size -[__other__]-> few
  - many -> both
  - few -> both
`;
const rules = 'rules: [{id: large, field: trigger.payload, operator: length_gte, value: 3}], enable_fallback: true';

/** Runs the text with this payload, and returns the execution after it has ended. */
async function run(yaml_str: string, payload: Json): Promise<JsonObject> {
  const imported = await member.post('/api/v1/workflows/import/', { yaml_str });
  expect(imported).toMatchObject({ body: { issues: [] } });
  const { body } = await member.post('/api/v1/workflows/lists/execute/', { payload });
  await running.settle();
  return (await member.get(`/api/v1/executions/${(body as JsonObject).execution_id}/`)).body as JsonObject;
}

describe('a switch', () => {
  it('passes its input on to the next nodes, for every route', async () => {
    const text = flow(`{id: size, type: switch, ${rules}}`);
    expect(await run(text, [1, 2, 3])).toMatchObject({ status: 'completed', final_output: [2, 3] });
    expect(await run(text, [1])).toMatchObject({ status: 'completed', final_output: [1] });
  });

  it('has its route as a separate port, which expressions and logs show', async () => {
    const text = flow(`{id: size, type: switch, ${rules}}`).replace(
      'type: transform}',
      'type: template, template: "{{ size.route }}"}',
    );
    const { final_output, logs } = await run(text, [1]);
    expect(final_output).toBe('__other__');
    expect(logs).toMatchObject([{}, { node_id: 'size', output: { output: [1], route: '__other__' } }, {}, {}, {}]);
  });

  it('with only its route pinned still passes its input on', async () => {
    const text = flow(`{id: size, type: switch, ${rules}, policies: {pinned_output: {route: large}}}`);
    expect(await run(text, [1, 2])).toMatchObject({ status: 'completed', final_output: [2] });
  });
});
