import { catalogue } from '@millrace/components';
import { executionDetail } from '@millrace/contract';
import type { OutboundRequest, OutboundResponse } from '@millrace/core';
import { expect, it } from 'vitest';
import { credentials, Providers } from '../support/providers.ts';
import { type Running, startRunning } from '../support/running.ts';
import { scripted } from '../support/scripted-model.ts';

const json = '{"id":9007199254740993,"far":1e400,"near":42}';
const kept = { id: '9007199254740993', far: '1e400', near: 42 };

async function answer({ url }: OutboundRequest): Promise<OutboundResponse> {
  const body = { size: json.length, text: () => json, base64: () => '' };
  return { url, isFromHome: true, status: 200, headers: { 'content-type': 'application/json' }, body };
}

const parameters = { type: 'object', properties: { id: {}, far: {}, near: {} } };

async function hasEnded({ store }: Running, id: string): Promise<boolean> {
  const status = (await store.executions.byId(id))?.status;
  return status !== 'pending' && status !== 'running';
}

it('numbers that a double cannot hold keep their digits, wherever they come from', async () => {
  const providers = await Providers.start();
  providers.answersWith(scripted([{ calls: [{ name: 'look', args: json }] }, { text: 'done' }]));
  const running = await startRunning({ catalogue, endpoints: providers.endpoints(), http: answer });
  const person = await running.addPerson('member');
  await running.addWorkflow(person.user, 'wf', {
    nodes: {
      start: 'trigger_manual',
      fetch: ['http_request', { url: 'http://crm.example/' }],
      parse: ['transform', { fields: { value: `{{ trigger.payload.text | fromjson }}` } }],
      ai: ['agent', { input: 'Look.' }],
      gpt: ['ai_model', {}, { llm_credential_id: credentials.openai, model_name: 'small' }],
      look: [
        'http_request',
        { url: 'http://crm.example/', method: 'POST', body: '{{ args.id }}', tool: { parameters } },
      ],
    },
    edges: 'start -> fetch\nstart -> parse\nstart -> ai\ngpt -llm-> ai\nlook -tool-> ai',
  });
  const started = await person.inject({
    method: 'POST',
    url: '/api/v1/workflows/wf/execute/',
    headers: { 'content-type': 'application/json' },
    payload: `{"payload": {"sent": ${json}, "text": ${JSON.stringify(json)}}}`,
  });
  const { execution_id: id } = started.body as { execution_id: string };
  expect([started.status, started.text]).toEqual([200, started.text]);
  await running.until(() => providers.received.length === 2);
  for (let turn = 0; turn < 20_000 && !(await hasEnded(running, id)); turn += 1) await running.settle();
  const { logs, trigger_payload: payload } = executionDetail.parse(
    (await person.get(`/api/v1/executions/${id}/`)).body,
  );
  const outputOf = (node: string) =>
    logs.find(({ node_id, status }) => node_id === node && status === 'success')?.output;
  expect(payload).toMatchObject({ sent: kept });
  expect(outputOf('fetch')).toMatchObject({ result: kept });
  expect(outputOf('parse')).toMatchObject({ output: { value: kept } });
  expect(outputOf('gpt')).toMatchObject({ calls: [{ arguments: kept }] });
});
