import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FakeBotApi } from '../support/fake-bot-api.ts';
import { ServiceProcess } from './service-process.ts';

const token = '123456:a-token-of-a-bot';
const kills = Number(process.env.BOT_KILLS ?? 3);
const messagesAtOnce = 5;

const workflow = `name: Echo
slug: echo
nodes:
  - {id: bot, type: trigger_chat_bot, credential: Bot}
  - {id: say, type: template, template: "Answer {{ trigger.text }}"}
edges: [bot -> say]
`;

/** A number below the limit, the same for the same seed. */
function draw(seed: number, limit: number): number {
  return Math.abs(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >> 8) % limit;
}

async function prepared(dataDir: string, environment: Record<string, string>): Promise<ServiceProcess> {
  const service = await ServiceProcess.start(dataDir, environment);
  const detail = { bot_token: token, allowed_user_ids: '*' };
  const credential = { name: 'Bot', credential_type: 'chat_bot', detail };
  expect((await service.call('POST', '/api/v1/credentials/', credential)).status).toBe(201);
  const imported = await service.call('POST', '/api/v1/workflows/import/', { yaml_str: workflow });
  expect(imported.status, JSON.stringify(imported.body)).toBe(201);
  return service;
}

/** The texts of the answers so far, in the order in which they were sent. */
function answers(platform: FakeBotApi): readonly unknown[] {
  return platform.sentBy(token).map(({ text }) => text);
}

test(
  'a bot that is killed loses no message, starts one execution for each, and sends each answer',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'millrace-bot-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const platform = await FakeBotApi.start();
    onTestFinished(() => platform.close());
    const environment = { MILLRACE_CHAT_BOT_API: platform.url };
    let service = await prepared(dataDir, environment);
    const texts: string[] = [];
    for (let round = 1; round <= kills; round += 1) {
      await vi.waitFor(() => expect(platform.isPolled(token)).toBe(true), { timeout: 20_000 });
      // Together they are one answer of the platform, and their runs one transaction.
      for (let index = 0; index < messagesAtOnce; index += 1) texts.push(`${round}-${index}`);
      for (const text of texts.slice(-messagesAtOnce)) platform.say(token, { text });
      // The moment of the kill: somewhere between the first message and the last answer.
      await new Promise((resolve) => setTimeout(resolve, draw(round, 60)));
      await service.kill();
      service = await ServiceProcess.start(dataDir, environment);
    }
    const expected = texts.map((text) => `Answer ${text}`).sort();
    await vi.waitFor(() => expect([...new Set(answers(platform))].sort()).toEqual(expected), { timeout: 20_000 });
    await vi.waitFor(() => expect(platform.waiting(token)).toBe(0), { timeout: 20_000 });
    const { body } = await service.call('GET', '/api/v1/executions/?limit=1000');
    const { items } = body as { items: readonly { status: string }[] };
    expect(items.map(({ status }) => status)).toEqual(texts.map(() => 'completed'));
    // Only an answer that was being sent may come twice.
    expect(answers(platform).length).toBeLessThanOrEqual(texts.length + kills);
    await service.stop();
  },
  60_000 * kills,
);
