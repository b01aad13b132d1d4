import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chatHistory } from '@millrace/contract';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ServiceProcess } from './service-process.ts';

const text = `name: Talk
slug: talk
nodes:
  - {id: start, type: trigger_chat}
  - {id: say, type: template, template: "You said {{ trigger.text }}"}
edges: [start -> say]
`;
const earlyText = `name: Early
slug: talk
nodes:
  - {id: start, type: trigger_chat}
  - {id: send, type: respond, body: "You said {{ trigger.text }}"}
  - {id: rest, type: wait, duration: 1, unit: hours}
edges: [start -> send, send -> rest]
`;
const path = '/api/v1/workflows/talk/chat/';
/** Enough that some are accepted, some running and some ended when the process dies. */
const messages = 40;

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-chat-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

async function history(service: ServiceProcess) {
  const { status, body } = await service.call('GET', `${path}history/?limit=1000`);
  expect(status).toBe(200);
  return chatHistory.parse(body).items;
}

test('after a crash every message in the history gets its answer, and none is duplicated', async () => {
  const first = await ServiceProcess.start(dataDir);
  expect((await first.call('POST', '/api/v1/workflows/import/', { yaml_str: text })).status).toBe(201);
  const sent = Array.from({ length: messages }, (_, index) =>
    first.call('POST', path, { text: String(index), session_id: 's' }).then(
      ({ status }) => (status === 200 ? String(index) : null),
      () => null,
    ),
  );
  // Some already have their answer.
  await Promise.any(sent.map(async (answer) => (await answer) ?? Promise.reject(new Error('no answer'))));
  await first.kill();
  const answered = (await Promise.all(sent)).filter((each) => each !== null);
  expect(answered.length).toBeGreaterThan(0);

  const second = await ServiceProcess.start(dataDir);
  let turns = await history(second);
  while (turns.some(({ answer }) => answer === null)) turns = await history(second);
  expect(turns.map((turn) => turn.answer)).toEqual(turns.map((turn) => `You said ${turn.text}`));
  const texts = turns.map((turn) => turn.text);
  expect(new Set(texts).size).toBe(texts.length);
  expect(texts).toEqual(expect.arrayContaining(answered));
  await second.stop();
});

test('a response that was sent before a crash is in the history after it, and the run continues', async () => {
  const first = await ServiceProcess.start(dataDir);
  expect((await first.call('POST', '/api/v1/workflows/import/', { yaml_str: earlyText })).status).toBe(201);
  expect(await first.call('POST', path, { text: 'one' })).toMatchObject({ body: { text: 'You said one' } });
  await first.kill();
  const second = await ServiceProcess.start(dataDir);
  expect(await history(second)).toMatchObject([{ text: 'one', answer: 'You said one', answered_at: null }]);
  await second.stop();
});
