import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chatAnswer, chatHistory } from '@millrace/contract';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { completion, goodKey, Providers } from '../support/providers.ts';
import { ServiceProcess } from './service-process.ts';

const textWith = (memory: string) => `name: Talk
slug: talk
nodes:
  - {id: start, type: trigger_chat}
  - {id: ai, type: agent}
  - {id: small, type: ai_model, model_name: small, credential: Provider}
  - {id: past, type: conversation_memory${memory}}
edges: [start -> ai, small -llm-> ai, past -memory-> ai]
`;

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-conversation-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

/** The service, with the workflow and a credential for the provider. */
async function startTalk({ url }: Providers, memory: string): Promise<ServiceProcess> {
  const service = await ServiceProcess.start(dataDir);
  const detail = { base_url: `${url}/v1`, api_key: goodKey };
  const credential = { name: 'Provider', credential_type: 'llm', detail };
  expect((await service.call('POST', '/api/v1/credentials/', credential)).status).toBe(201);
  const imported = await service.call('POST', '/api/v1/workflows/import/', { yaml_str: textWith(memory) });
  expect(imported.status).toBe(201);
  return service;
}

async function say(service: ServiceProcess, words: string): Promise<string | null> {
  const body = { text: words, session_id: 's' };
  return chatAnswer.parse((await service.call('POST', '/api/v1/workflows/talk/chat/', body)).body).text;
}

async function newest(service: ServiceProcess) {
  return chatHistory.parse((await service.call('GET', '/api/v1/workflows/talk/chat/history/')).body).items[0];
}

test('a message that was being answered during a crash is answered with the same turns as context, and so is the next', async () => {
  const providers = await Providers.start();
  const receivedTexts = () => providers.last.body?.messages;
  const first = await startTalk(providers, '');
  expect(await say(first, 'one')).toBe('You said: one');
  providers.hangs();
  const lost = say(first, 'two').catch(() => 'lost');
  while (providers.received.length < 2) await new Promise((resolve) => setImmediate(resolve));
  const before = receivedTexts();
  await first.kill();
  expect(await lost).toBe('lost');
  providers.answers(200, completion('At last.'));

  const second = await ServiceProcess.start(dataDir);
  while ((await newest(second))?.answer !== 'At last.') expect(providers.received.length).toBeLessThan(4);
  expect(receivedTexts()).toEqual(before);
  expect(before).toHaveLength(3);
  expect(await say(second, 'three')).toBe('At last.');
  expect(receivedTexts()).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'You said: one' },
    { role: 'user', content: 'two' },
    { role: 'assistant', content: 'At last.' },
    { role: 'user', content: 'three' },
  ]);
  await second.stop();
});

test('a summary that was created before a crash is not created again', async () => {
  const providers = await Providers.start();
  const summaries = () => providers.received.filter(({ body }) => JSON.stringify(body).includes('Write a summary'));
  const first = await startTalk(providers, ', turns: 1, summarize: true');
  for (const words of ['one', 'two']) expect(await say(first, words)).toBe(`You said: ${words}`);
  providers.answersWith((response, received) => {
    // The summary is created; the answer never arrives.
    if (providers.received.length === 3) providers.speak(response, received);
  });
  const lost = say(first, 'three').catch(() => 'lost');
  while (providers.received.length < 4) await new Promise((resolve) => setImmediate(resolve));
  const receivedTexts = providers.last.body?.messages;
  expect(receivedTexts).toHaveLength(5);
  await first.kill();
  expect(await lost).toBe('lost');
  providers.answers(200, completion('At last.'));

  const second = await ServiceProcess.start(dataDir);
  while ((await newest(second))?.answer !== 'At last.') expect(providers.received.length).toBeLessThan(6);
  expect(providers.last.body?.messages).toEqual(receivedTexts);
  expect(summaries()).toHaveLength(1);
  await second.stop();
});
