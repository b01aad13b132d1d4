import { Meter, type ModelRequest } from '@millrace/core';
import { beforeEach, expect, test } from 'vitest';
import { systemClock, systemTimers } from '../../src/ground/clock.ts';
import { Turns } from '../../src/ground/turns.ts';
import { createMcpConnections } from '../../src/mcp/connections.ts';
import { createAskModel } from '../../src/models/model-calls.ts';
import { createOutboundClient } from '../../src/outbound/client.ts';
import { inSlices } from '../../src/runner/steps/slices.ts';
import { continued, type Work, type WorkRecord } from '../../src/runner/work-record.ts';
import { McpRemote } from '../mcp/mcp-remote.ts';
import { modelCaller } from '../support/model-caller.ts';
import { completion, credentials, Providers } from '../support/providers.ts';

const current: Work = { executionId: 'e', during: 'steps', nodeId: 'agent' };

/** Knows what the watchdog would record now. */
class Recorded implements WorkRecord {
  now: Work | null = null;

  get isRecording(): boolean {
    return this.now !== null;
  }

  perform<Result>(work: Work, act: () => Result): Result {
    const before = this.now;
    this.now = work;
    try {
      return act();
    } finally {
      this.now = before;
    }
  }

  continue(work: Work): void {
    this.now = work;
    process.nextTick(() => {
      this.now = null;
    });
  }
}

let work: Recorded;
let providers: Providers;
beforeEach(async () => {
  work = new Recorded();
  providers = await Providers.start();
});

const turns = new Turns({ clock: systemClock, timers: systemTimers });
const parts = () => ({
  turns,
  work,
  current,
  meter: new Meter(systemClock.monotonic),
  signal: new AbortController().signal,
});

/** A question whose text notes for whom it is read. */
function question(seen: (Work | null)[]): ModelRequest {
  const settings = {
    temperature: null,
    maxTokens: null,
    frequencyPenalty: null,
    presencePenalty: null,
    topP: null,
    responseFormat: null,
  };
  const message = {
    role: 'user' as const,
    get content() {
      seen.push(work.now);
      return 'Hello';
    },
  };
  const messages = [message];
  return {
    askedBy: 'agent',
    nodeId: 'gpt',
    credentialId: credentials.openai,
    model: 'small',
    system: '',
    messages,
    settings,
  };
}

test.each([
  false,
  true,
])('a request to a model is built, and its answer read, as work of its step: streamed %s', async (isStreamed) => {
  const askModel = createAskModel({ endpoints: providers.endpoints(), clock: systemClock });
  providers.answers(200, completion('Hi'));
  const seen: (Work | null)[] = [];
  const caller = modelCaller({
    ...parts(),
    inSlices: (long) => inSlices(long, parts()),
    continued: (operation) => continued(work, current, operation),
    perform: (act) => work.perform(current, act),
    ...(isStreamed && { listen: () => void seen.push(work.now) }),
  });
  expect(await askModel(question(seen), caller)).toMatchObject({ text: 'Hi' });
  expect(seen.length).toBeGreaterThan(0);
  expect(seen).toEqual(seen.map(() => current));
});

test('work in slices is recorded also after an operation that recorded nothing, and so is what follows it', async () => {
  const seen: (Work | null)[] = [];
  function* noting() {
    seen.push(work.now);
    yield;
  }
  await new Promise((resolve) => setImmediate(resolve));
  await inSlices(noting(), parts());
  seen.push(work.now);
  expect(seen).toEqual([current, current]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(work.now).toBeNull();
});

test('what the library does with an answer of an MCP server is work of the step that asked for it', async () => {
  const output = { type: 'object', properties: { a: { type: 'integer' } } };
  const server = await McpRemote.start({ t: { output, act: () => ({ content: [], structuredContent: { a: 1 } }) } });
  const outbound = createOutboundClient({ allowPrivate: true, ownPort: () => null });
  const seen: (Work | null)[] = [];
  const connections = createMcpConnections({
    clock: systemClock,
    timers: systemTimers,
    programs: new Map(),
    schemaIssue() {
      seen.push(work.now);
      return null;
    },
  });
  const { signal } = new AbortController();
  const target: Parameters<typeof connections.open>[0] = {
    executionId: 'e',
    nodeId: 'agent',
    ownerId: 1,
    server: { url: server.url },
    send: outbound.send,
    inSlices: (reading) =>
      continued(
        work,
        current,
        work.perform(current, async () => inSlices(reading(parts().meter), parts())),
      ),
  };
  const port = connections.open(target, signal);
  await port.tools();
  expect(await port.call('t', {})).toMatchObject({ structured: { a: 1 } });
  expect(seen).toEqual([current]);
  await connections.close();
  await outbound.close();
});
