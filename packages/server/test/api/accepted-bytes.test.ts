import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogue } from '@millrace/components';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';

/** What an accept may write besides the payload. */
const most = 16 * 1024;
/** Executions of each kind: what is written once for a workflow or a changed variable counts in the first ones. */
const runs = 25;

/** The bytes of a database that are in use. */
function bytesIn(path: string): number {
  const db = new Database(path, { readonly: true });
  try {
    const number = (pragma: string) => Number(db.pragma(pragma, { simple: true }));
    return (number('page_count') - number('freelist_count')) * number('page_size');
  } finally {
    db.close();
  }
}

/** The bytes that each of many equal requests adds, after the first ones. */
async function addedBy(path: string, running: Running, request: () => Promise<Answer>) {
  const send = async (count: number) => {
    for (let sent = 0; sent < count; sent += 1) {
      const { status, text, body } = await request();
      expect([status, text]).toEqual([200, text]);
      // As its runner does, before the first step.
      const { execution_id: executionId } = body as { execution_id: string };
      const workflowId = (await running.store.executions.byId(executionId))?.workflowId ?? 0;
      await running.store.variables.ofRun({ executionId, workflowId, names: null });
    }
  };
  await send(3);
  const before = bytesIn(path);
  await send(runs);
  return (bytesIn(path) - before) / runs;
}

/** A workflow with much that is not the payload of its executions. */
async function addLarge(running: Running, member: Person, sizes: { variables: number; nodes: number; pinned: number }) {
  for (let index = 0; index < sizes.variables; index += 1) {
    const body = { name: `v${index}`, value: 'v'.repeat(40_000) };
    expect((await member.post('/api/v1/variables/', body)).status).toBe(201);
  }
  const steps = Array.from({ length: sizes.nodes }, (_, index) => `n${index}`);
  const template = 'x'.repeat(5_000);
  await running.addWorkflow(member.user, 'large', {
    nodes: {
      start: ['trigger_webhook', {}],
      hand: 'trigger_manual',
      said: 'trigger_chat',
      ...Object.fromEntries(steps.map((step) => [step, ['template', { template }]])),
      // Reads all variables.
      last: ['transform', { expression: 'vars | length' }, { pinned_output: { output: 'p'.repeat(sizes.pinned) } }],
    },
    edges: ['start', ...steps].map((from, at) => `${from} -> ${steps[at] ?? 'last'}`).join('\n'),
    fields: { inputSchema: { type: 'object', description: 'd'.repeat(20_000) } },
  });
}

test('an accepted execution writes its payload and at most 16 KiB, whatever its workflow and the variables contain', async () => {
  const sizes = fc.record({
    variables: fc.integer({ min: 0, max: 40 }),
    nodes: fc.integer({ min: 0, max: 20 }),
    pinned: fc.integer({ min: 0, max: 60_000 }),
    payload: fc.integer({ min: 0, max: 200_000 }),
  });
  await fc.assert(
    fc.asyncProperty(sizes, async ({ payload, ...large }) => {
      const folder = mkdtempSync(join(tmpdir(), 'millrace-accepted-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const path = join(folder, 'millrace.db');
      const running = await startRunning({ path, catalogue, withRunner: false });
      const member = await running.addPerson('member', 'full', true);
      await addLarge(running, member, large);
      const body = { text: 'p'.repeat(payload) };
      const own = JSON.stringify(body).length + most;
      const ways = {
        webhook: () => member.post('/api/v1/webhooks/large', body),
        execute: () => member.post('/api/v1/workflows/large/execute/', { payload: body }),
      };
      for (const [way, request] of Object.entries(ways)) {
        const added = await addedBy(path, running, request);
        expect([way, added, added <= own ? 'within the limit' : `${own} bytes allowed`]).toEqual([
          way,
          added,
          'within the limit',
        ]);
      }
    }),
    { numRuns: Number(process.env.ACCEPTED_BYTES_RUNS ?? 4) },
  );
});

test('an accepted chat message writes its payload and at most 16 KiB, however long the conversation is', async () => {
  const sizes = fc.record({
    earlier: fc.integer({ min: 0, max: 30 }),
    answer: fc.integer({ min: 0, max: 30_000 }),
    // The most characters of a message.
    message: fc.integer({ min: 0, max: 100_000 }),
    isOneConversation: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(sizes, async ({ earlier, answer, message, isOneConversation }) => {
      const folder = mkdtempSync(join(tmpdir(), 'millrace-accepted-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const path = join(folder, 'millrace.db');
      const running = await startRunning({ path, catalogue, withRunner: false });
      const member = await running.addPerson('member', 'full', true);
      await addLarge(running, member, { variables: 3, nodes: 3, pinned: 10_000 });
      const say = (text: string) =>
        sayAtOnce(running, member, { text, ...(isOneConversation && { session_id: 'one' }) });
      for (let turn = 0; turn < earlier; turn += 1) {
        const { body } = await say('m'.repeat(message));
        const { execution_id: id } = body as { execution_id: string };
        answerTurn(path, id, 'a'.repeat(answer));
      }
      const text = `m${'m'.repeat(message)}`.slice(0, 100_000);
      const added = await addedBy(path, running, () => say(text));
      const own = JSON.stringify({ text, session_id: 'one' }).length + most;
      expect([added, added <= own ? 'within the limit' : `${own} bytes allowed`]).toEqual([added, 'within the limit']);
    }),
    { numRuns: Number(process.env.ACCEPTED_BYTES_RUNS ?? 4) },
  );
});

/** Sends a message without waiting for its answer, which no runner gives. */
async function sayAtOnce(running: Running, member: Person, body: object): Promise<Answer> {
  const answer = member.post('/api/v1/workflows/large/chat/', body);
  await running.settle();
  // Longer than a message waits for its answer.
  running.time.advance(31_000);
  const { status, ...rest } = await answer;
  return { ...rest, status: status === 202 ? 200 : status };
}

/** Stores an answer, as the runner does when the execution responds. */
function answerTurn(path: string, executionId: string, answer: string): void {
  const db = new Database(path);
  db.prepare('UPDATE chat_turns SET answer = ? WHERE execution_id = ?').run(answer, executionId);
  db.close();
}
