import { createHash } from 'node:crypto';
import { catalogue, scheduleTimetable } from '@millrace/components';
import { incomingMessage, type JsonObject, Problem, type Script, type User } from '@millrace/core';
import type { Logger } from 'pino';
import { type App, createApp } from '../app.ts';
import { systemTimers } from '../ground/clock.ts';
import type { Config } from '../ground/config.ts';
import { newApiKey } from '../ground/ids.ts';
import { createLog } from '../ground/log.ts';
import { VirtualTime } from '../ground/virtual-time.ts';
import { createMcpConnections, type McpConnections } from '../mcp/connections.ts';
import type { OutboundClient } from '../outbound/client.ts';
import { maskedRequest } from '../recordings/masked-request.ts';
import { answeredMcp } from '../recordings/mcp-kind.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { memoryVault } from '../secrets/keys/memory-vault.ts';
import { storedForm } from '../services/access/api-key.ts';
import { createSchemaIssue } from '../services/validation/schema-errors.ts';
import { openSqliteStore } from '../store/sql/sqlite.ts';
import type { Store } from '../store/store.ts';
import type { TestRunner } from '../workflow-tests/test-runner.ts';
import type { BotMessage, Call, Reply, TestService, TestServiceParts } from '../workflow-tests/test-service.ts';
import { ActivityTracker } from './activity-tracker.ts';

/** Runs workflow tests: each on its own service, all with one sandbox. */
export function createTestRunner({
  code,
  logLevel,
}: Pick<Config, 'code' | 'logLevel'>): TestRunner & { close(): void } {
  // By default only defects: the report shows which executions failed.
  const log = createLog(logLevel === 'info' ? 'error' : logLevel);
  const sandboxLog = createLog(logLevel === 'info' ? 'warn' : logLevel);
  const sandbox = createSandbox({ ...code, timers: systemTimers, log: sandboxLog });
  return { catalogue, open: (parts) => VirtualService.open({ ...parts, sandbox, log }), close: () => sandbox.close() };
}

interface VirtualServiceParts extends TestServiceParts {
  /** Shared by all tests: starting its processes takes longer than most tests. */
  readonly sandbox: Sandbox;
  readonly log: Logger;
}

/**
 * The whole service in this process, as `app.ts` wires it, on a store in memory and in virtual time. It does not
 * listen, and its requests go to the given clients.
 */
class VirtualService implements TestService {
  readonly time: VirtualTime;
  readonly store: Store;
  readonly user: User;
  readonly #app: App;
  readonly #activity: ActivityTracker;
  readonly #key: string;
  /** Messages to bots so far. */
  #messages = 0;

  private constructor(parts: {
    time: VirtualTime;
    store: Store;
    user: User;
    app: App;
    activity: ActivityTracker;
    key: string;
  }) {
    this.time = parts.time;
    this.store = parts.store;
    this.user = parts.user;
    this.#app = parts.app;
    this.#activity = parts.activity;
    this.#key = parts.key;
  }

  static async open(parts: VirtualServiceParts): Promise<VirtualService> {
    const activity = new ActivityTracker();
    const time = new VirtualTime(parts.startTime);
    const store = activity.watched(openSqliteStore({ path: ':memory:', readTimetable: scheduleTimetable }));
    const draws = new ScriptDraws();
    const { user, key } = await firstUser(store, parts.startTime);
    const app = createApp({
      // The host in addresses that steps see. Only this process calls it.
      host: 'localhost',
      log: parts.log,
      store,
      vault: memoryVault(store),
      clock: time.clock,
      timers: {
        ...time.timers,
        soon: (fn) => activity.soon(fn),
        unhurried: (fn) => activity.soon(() => fn(Number.POSITIVE_INFINITY)),
      },
      // The middle of every delay's jitter.
      random: () => 0.5,
      outbound: outboundOf(parts),
      // Recordings have no credentials, and show masks for secret variables.
      toolRequest: async ({ request, variables }) => parts.http(maskedRequest(request, variables)),
      botRequest: async ({ request }) => parts.http(request),
      performGit: async ({ request }) => parts.git(request),
      askModel: async (request) => parts.askModel(request),
      runCommand: async (request) => parts.runCommand(request),
      sandbox: {
        run(script, owner) {
          const world = { now: time.clock.now(), seed: draws.seedFor(script) };
          return activity.track(parts.sandbox.run({ ...script, world }, owner));
        },
        close: () => undefined,
      },
      mcp: trackedMcp(time, activity, parts.mcp),
    });
    await app.server.ready();
    app.runner.start();
    return new VirtualService({ time, store, user, app, activity, key });
  }

  async call({ method, path, headers = {}, body }: Call): Promise<Reply> {
    const response = await this.#app.server.inject({
      method,
      url: path,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
        host: 'localhost',
        authorization: `Bearer ${this.#key}`,
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    const type = String(response.headers['content-type'] ?? '');
    const text = response.payload;
    return {
      status: response.statusCode,
      headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
      body: type.startsWith('application/json') ? (JSON.parse(text) as unknown) : text,
    };
  }

  async write({ credentialId, text, payload }: BotMessage): Promise<Reply> {
    this.#messages += 1;
    try {
      const message = messageOf({ text, payload, messageId: this.#messages });
      const isStarted = credentialId !== null && (await this.#app.bots.receive(credentialId, message));
      if (isStarted) return { status: 200, headers: {}, body: null };
      return { status: 422, headers: {}, body: 'No trigger of this bot starts for the message.' };
    } catch (error) {
      if (error instanceof Problem) return { status: 422, headers: {}, body: { detail: error.detail } };
      throw error;
    }
  }

  settle(): Promise<void> {
    return this.#activity.idle();
  }

  startSchedules(): void {
    this.#app.scheduler.start();
  }

  stopSchedules(): Promise<void> {
    return this.#app.scheduler.stop();
  }

  async close(): Promise<void> {
    this.#app.endWaits();
    await this.#app.server.close();
    await this.#app.scheduler.stop();
    await this.#app.runner.stop(0);
    await this.#app.close();
    await this.store.close();
  }
}

/** A message as the platform would deliver it: in a private chat, unless the test says otherwise. */
function messageOf({ text, payload, messageId }: { text: string; payload: JsonObject; messageId: number }) {
  const { chat_id: chat = '1', user_id: user = chat, chat_type: type = 'private', name, username, language } = payload;
  const from = { id: user, first_name: name ?? '', username: username ?? '', language_code: language ?? '' };
  const message = { message_id: messageId, from, chat: { id: chat, type }, text };
  const read = incomingMessage({ update_id: messageId, message }, 'test_bot');
  if (read === null) throw new Problem('invalid', "The 'chat_id' of the payload is not a text or a number.");
  return { ...read, payload: { ...read.payload, ...payload } };
}

async function firstUser(store: Store, at: number): Promise<{ readonly user: User; readonly key: string }> {
  const user = await store.users.insert({ username: 'test', isAdmin: true, at });
  // The store is empty, so the name is free.
  if (user === null) throw new Error('the user could not be stored');
  const key = newApiKey();
  const words = { name: 'test', scope: 'full', expiresAt: null } as const;
  await store.keys.insert({ userId: user.id, ...words, ...storedForm(key), at });
  return { user, key };
}

/** Connections whose work is in progress until they answer: loading the library takes real time. */
function trackedMcp(
  { clock, timers }: VirtualTime,
  activity: ActivityTracker,
  recorded: TestServiceParts['mcp'],
): McpConnections {
  const connections = createMcpConnections({ schemaIssue: createSchemaIssue(), clock, timers, programs: new Map() });
  return {
    ...connections,
    open(target, signal) {
      const answer = recorded(target.nodeId);
      if (answer !== null) return answeredMcp(target.nodeId, async (asked) => answer(asked));
      const port = connections.open(target, signal);
      return {
        tools: () => activity.track(port.tools()),
        call: (tool, args) => activity.track(port.call(tool, args)),
      };
    },
  };
}

/** An outbound client that answers from recordings. */
function outboundOf({ http }: TestServiceParts): OutboundClient {
  return {
    send: async (request) => http(request),
    sendSecret: async (request) => http(request),
    close: async () => undefined,
  };
}

/**
 * The random source of each script of a test. It depends on the script and its values, not on the order of parallel
 * branches, so a test always gets the same numbers. The same script with the same values continues the sequence.
 */
class ScriptDraws {
  readonly #seen = new Map<string, number>();

  /** A 32-bit seed for a script. */
  seedFor({ source, scope }: Script): number {
    const script = createHash('sha256')
      .update(JSON.stringify([source, scope]))
      .digest('hex');
    const before = this.#seen.get(script) ?? 0;
    this.#seen.set(script, before + 1);
    return createHash('sha256').update(`${before} ${script}`).digest().readUInt32LE(0);
  }
}
