import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chatAnswer, chatHistory } from '@millrace/contract';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { completion, goodKey, Providers } from '../support/providers.ts';
import { ServiceProcess } from './service-process.ts';

const text = `name: Talk
slug: talk
nodes:
  - {id: start, type: trigger_chat}
  - {id: ai, type: agent}
  - {id: small, type: ai_model, model_name: small, credential: Provider}
  - {id: past, type: conversation_memory}
edges: [start -> ai, small -llm-> ai, past -memory-> ai]
`;

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-conversation-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

async function say(service: ServiceProcess, words: string): Promise<string | null> {
  const body = { text: words, session_id: 's' };
  return chatAnswer.parse((await service.call('POST', '/api/v1/workflows/talk/chat/', body)).body).text;
}

async function newest(service: ServiceProcess) {
  return chatHistory.parse((await service.call('GET', '/api/v1/workflows/talk/chat/history/')).body).items[0];
}

test('a message that was being answered at a crash is answered with the same turns in mind, and so is the next', {
  timeout: 60_000,
}, async () => {
  const providers = await Providers.start();
  const told = () => providers.last.body?.messages;
  const first = await ServiceProcess.start(dataDir);
  const detail = { base_url: `${providers.url}/v1`, api_key: goodKey };
  const credential = { name: 'Provider', credential_type: 'llm', detail };
  expect((await first.call('POST', '/api/v1/credentials/', credential)).status).toBe(201);
  expect((await first.call('POST', '/api/v1/workflows/import/', { yaml_str: text })).status).toBe(201);
  expect(await say(first, 'one')).toBe('You said: one');
  providers.hangs();
  const lost = say(first, 'two').catch(() => 'lost');
  while (providers.heard.length < 2) await new Promise((resolve) => setImmediate(resolve));
  const before = told();
  await first.kill();
  expect(await lost).toBe('lost');
  providers.answers(200, completion('At last.'));

  const second = await ServiceProcess.start(dataDir);
  while ((await newest(second))?.answer !== 'At last.') expect(providers.heard.length).toBeLessThan(4);
  expect(told()).toEqual(before);
  expect(before).toHaveLength(3);
  expect(await say(second, 'three')).toBe('At last.');
  expect(told()).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'You said: one' },
    { role: 'user', content: 'two' },
    { role: 'assistant', content: 'At last.' },
    { role: 'user', content: 'three' },
  ]);
  await second.stop();
});
