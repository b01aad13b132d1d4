import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, expect, test } from 'vitest';
import { counted, reached } from '../support/reached.ts';
import { Answers, LoadedService } from './loaded-service.ts';

const isFull = process.env.LOCK_FULL === '1';
/** `npm run promises -- --release` locks the file ten times for five seconds. */
const [rounds, lockedMs] = isFull ? [10, 5000] : [1, 1000];

const service = await LoadedService.start();
afterAll(() => service.remove());

test('while another program locks the database, writes wait or get 503, reads work, and nothing is lost', async () => {
  const answers = new Answers();
  let isOver = false;
  const posting = service.post(8, () => isOver, answers);
  const other = new Database(service.database);
  for (let round = 0; round < rounds; round += 1) {
    await sleep(200);
    other.exec('BEGIN IMMEDIATE');
    const { status } = await service.call('GET', '/api/v1/workflows/loaded/');
    expect(status).toBe(200);
    await sleep(lockedMs);
    other.exec('COMMIT');
    const before = answers.acknowledged.length;
    while (answers.acknowledged.length === before) await sleep(10);
  }
  other.close();
  isOver = true;
  await posting;
  expect([...answers.failures]).toEqual([]);
  expect([...answers.statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(await service.lost(answers.acknowledged)).toEqual([]);
  const rejected = counted(answers.statuses.get(503) ?? 0);
  reached(
    'P17',
    `${rounds} locks of ${lockedMs / 1000} s, ${counted(answers.acknowledged.length)} acknowledged, 0 lost, ${rejected} answered with 503`,
  );
});
