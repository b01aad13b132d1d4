import { readFileSync } from 'node:fs';
import { executionDetail } from '@millrace/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { startLocalApp } from '../support/local-app.ts';
import { Remote } from '../support/remote.ts';
import type { WholeApp } from '../support/whole-app.ts';

const page = readFileSync(new URL('../../../../docs/variables-and-state.md', import.meta.url), 'utf8');

/** The workflow below a heading of the page. */
function exampleUnder(heading: string): string {
  const section = page.slice(page.indexOf(`## ${heading}`));
  const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(section) ?? [];
  return text;
}

let app: WholeApp;
let api: Api;
beforeAll(async () => {
  app = await startLocalApp();
  api = await app.member('owner');
});
afterAll(() => app.close());

async function importText(text: string): Promise<void> {
  const { status, text: answer } = await api.post('/api/v1/workflows/import/', { yaml_str: text });
  expect([status, answer]).toEqual([201, answer]);
}

async function run(slug: string, payload: unknown = null) {
  const { body } = await api.post(`/api/v1/workflows/${slug}/execute/`, { payload, wait: true });
  const { execution_id: id } = body as { execution_id: string };
  return executionDetail.parse((await api.get(`/api/v1/executions/${id}/`)).body);
}

test('the polling example requests only what is new since the last run', async () => {
  const remote = await Remote.start();
  let lastId = 0;
  remote.answer = (_request, response) => {
    lastId += 10;
    response.end(JSON.stringify({ last_id: lastId }));
  };
  const example = exampleUnder('Example: poll since the last run');
  const byHand = example.replace(/type: trigger_schedule\n\s+interval_seconds: 60/, 'type: trigger_manual');
  expect(byHand).not.toBe(example);
  await importText(byHand.replace('https://shop.example', remote.origin));
  for (let round = 0; round < 3; round += 1) expect(await run('poll-since')).toMatchObject({ status: 'completed' });
  expect(remote.received.map(({ url }) => url)).toEqual(['/orders?after=0', '/orders?after=10', '/orders?after=20']);
  expect((await api.get('/api/v1/workflows/poll-since/state/cursor/')).body).toEqual({ value: 30 });
});

test('the example that handles each delivery once also does so for concurrent duplicates', async () => {
  await importText(exampleUnder('Example: handle each delivery once').replace('trigger_webhook', 'trigger_manual'));
  const ids = Array.from({ length: 30 }, (_, index) => index % 3);
  const details = await Promise.all(ids.map((id) => run('handle-once', { id })));
  const handled = details.flatMap(({ logs }) =>
    logs.filter(({ node_id: id, status }) => id === 'handle' && status === 'success'),
  );
  expect(handled.map(({ output }) => output?.output).sort()).toEqual(['handled 0', 'handled 1', 'handled 2']);
});
