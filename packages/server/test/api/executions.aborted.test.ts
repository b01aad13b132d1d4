import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { executionDetail } from '@millrace/contract';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApp } from '../../src/app.ts';
import { systemClock, systemTimers } from '../../src/ground/clock.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import { type Api, apiOf } from '../support/api.ts';
import { promisedMs } from '../support/by-the-clock.ts';
import { addKeyedUser } from '../support/keyed-user.ts';
import { goodKey } from '../support/providers.ts';
import { testVault } from '../support/vault.ts';

/** A server that accepts requests and never answers one. */
class SilentServer {
  readonly url: string;
  /** Resolves when a request has arrived. */
  readonly asked: Promise<void>;
  /** Resolves when the connection of that request is closed. */
  readonly left: Promise<void>;

  private constructor(port: number, { asked, left }: Pick<SilentServer, 'asked' | 'left'>) {
    this.url = `http://127.0.0.1:${port}`;
    this.asked = asked;
    this.left = left;
  }

  static async start(): Promise<SilentServer> {
    const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => asked.resolve());
      socket.once('close', () => left.resolve());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return new SilentServer((server.address() as AddressInfo).port, { asked: asked.promise, left: left.promise });
  }
}

/** The whole service as `npm start` wires it, with its own outbound client, in real time. */
async function start(): Promise<Api> {
  const store = openSqliteStore({ path: ':memory:' });
  const [clock, log] = [systemClock, pino({ level: 'silent' })];
  const ports = { clock, timers: systemTimers, random: () => 0, vault: testVault(store) };
  const app = createApp({ host: '127.0.0.1', log, store, ...ports });
  await app.server.ready();
  app.runner.start();
  onTestFinished(async () => {
    await app.server.close();
    await app.runner.stop(0);
    await app.close();
    await store.close();
  });
  const { key } = await addKeyedUser(store, { username: 'admin', isAdmin: true, at: clock.now() });
  return apiOf(app.server, key);
}

/** The nodes and edges of workflows that send a request to the silent server. */
const asking = {
  'a request': (url: string) => ({
    nodes: `  - {id: slow, type: http_request, url: "${url}", POLICY}`,
    edges: "'hook -> slow'",
  }),
  'a model': () => ({
    nodes: `  - {id: slow, type: agent, POLICY}
  - {id: gpt, type: ai_model, model_name: small, credential: Provider}`,
    edges: "'hook -> slow', 'gpt -llm-> slow'",
  }),
} as const;

interface Limits {
  /** Limit of the step. */
  readonly policy?: string;
  /** Limit of the workflow. */
  readonly field?: string;
}

/** Starts a run whose step calls the silent server, and returns its id once the request has arrived. */
async function startAsking(api: Api, server: SilentServer, what: keyof typeof asking, limits: Limits = {}) {
  const detail = { api_key: goodKey, base_url: server.url };
  await api.post('/api/v1/credentials/', { name: 'Provider', credential_type: 'llm', detail });
  const { nodes, edges } = asking[what](server.url);
  const lines = nodes.replace('POLICY', `policies: {retry: {max_attempts: 1}${limits.policy ?? ''}}`);
  const text = `slug: flow\nname: Flow\n${limits.field ?? ''}nodes:\n  - {id: hook, type: trigger_manual}\n${lines}\nedges: [${edges}]`;
  expect((await api.post('/api/v1/workflows/import/', { yaml_str: text })).text).toContain('"slug":"flow"');
  const { body } = await api.post('/api/v1/workflows/flow/execute/', { payload: 'Hello' });
  await server.asked;
  return (body as { execution_id: string }).execution_id;
}

/** Returns the run after it has ended. */
async function ended(api: Api, id: string) {
  for (;;) {
    const run = executionDetail.parse((await api.get(`/api/v1/executions/${id}/`)).body);
    if (run.completed_at !== null) return run;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const kinds = Object.keys(asking) as (keyof typeof asking)[];

describe('a step that waits for a response from another service', () => {
  it.each(kinds)('is aborted with %s within a second of the cancel, and its run ends', async (what) => {
    const [api, server] = [await start(), await SilentServer.start()];
    // Without the abort, the step would end at its time limit, after the limit of this test.
    const id = await startAsking(api, server, what, { policy: ', timeout_seconds: 3600' });
    const began = performance.now();
    await api.post(`/api/v1/executions/${id}/cancel/`);
    expect(await ended(api, id)).toMatchObject({ status: 'cancelled' });
    await server.left;
    expect(performance.now() - began).toBeLessThan(promisedMs(1000));
  });

  it.each(kinds)('is aborted with %s at its own time limit', async (what) => {
    const [api, server] = [await start(), await SilentServer.start()];
    const id = await startAsking(api, server, what, { policy: ', timeout_seconds: 0.2' });
    await server.left;
    expect((await ended(api, id)).error_message).toBe("Node 'slow' failed: The step took longer than 0.2 s.");
  });

  it.each(kinds)('is aborted with %s at the time limit of its run', async (what) => {
    const [api, server] = [await start(), await SilentServer.start()];
    const id = await startAsking(api, server, what, { field: 'max_execution_seconds: 1\n' });
    await server.left;
    expect((await ended(api, id)).error_message).toContain('took longer than max_execution_seconds allows');
  });
});
