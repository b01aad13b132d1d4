import {
  ExpressionError,
  type Json,
  type JsonObject,
  Meter,
  type OutboundRequest,
  type OutboundResponse,
  type PlanNode,
  RunScope,
  type RunState,
  resolveConfig,
  StepError,
  type StepState,
} from '@millrace/core';
import { newPlaceholder } from '../../src/ground/ids.ts';
import { capture, matches } from '../../src/ground/regex.ts';
import type { BotRequest, RunnerPorts, SecretRequest } from '../../src/runner/ports.ts';
import type { Attempt } from '../../src/runner/steps/attempt.ts';
import { BoundModel } from '../../src/runner/steps/bound-model.ts';
import { callComponent } from '../../src/runner/steps/perform.ts';
import { noWorkRecord } from '../../src/runner/work-record.ts';
import { createSchemaIssue } from '../../src/services/validation/schema-errors.ts';
import type { ClaimedRun, NewExecution } from '../../src/store/executions.ts';

/**
 * What came of a step: `accepted` if the component works on its input, else the code of the error, and `crashed` for an
 * error that no component may throw.
 */
export type Reception = 'accepted' | 'crashed' | StepError['code'];

/** The trigger of every sampled run, with each value that the expressions of drawn configs name. */
export const trigger = { payload: { kind: 'a', n: 2, list: [1, 2] }, text: 'Hello' };

/** The variables that a run can read, of which the check knows the names. */
const variables = { values: { known: 1 }, secrets: ['hidden'] };

const signal = new AbortController().signal;
const now = 1_774_737_000_000;

/** Ports that only whole runs use. A new port that is not in this list must be in `ports`. */
type PortsOfRuns =
  | 'store'
  | 'recorded'
  | 'catalogue'
  | 'timers'
  | 'random'
  | 'askModel'
  | 'budgets'
  | 'tokens'
  | 'turns'
  | 'links'
  | 'validity'
  | 'errorHandler'
  | 'log'
  | 'isAwaited'
  | 'maxSteps'
  | 'maxRunSize'
  | 'owner';

/** The runner's ports that steps use, with everything outside answering well. */
const stepPorts: Omit<RunnerPorts, PortsOfRuns> = {
  clock: { now: () => now, monotonic: () => 0 },
  http: async (request: OutboundRequest) => answerTo(request),
  toolRequest: async ({ request }: SecretRequest) => answerTo(request),
  botRequest: async ({ request }: BotRequest) => ({ ...answerTo(request), body: sentMessage }),
  git: async () => ({}),
  placeholder: newPlaceholder,
  runScript: async () => ({ value: null, lines: [] }),
  mcp: {
    open: () => ({
      tools: async () => [],
      call: async () => ({ content: [], structured: null, isError: false }),
    }),
    leave: () => undefined,
  },
  patterns: { matches, capture },
  schemaIssue: createSchemaIssue(),
  conversation: { before: async () => ({ summary: null, turns: [] }), keepSummary: async () => undefined },
  memory: {
    find: async () => null,
    list: async () => ({ items: [], total: 0 }),
    put: async ({ key, value, at }) => ({ key, value, createdAt: at, updatedAt: at }),
    remove: async () => false,
    clear: async () => undefined,
    people: async () => ({ items: [], total: 0 }),
    forget: async () => undefined,
    identify: async ({ seen: { name, email }, at }) => ({
      person: { id: 'u_1', name, email, createdAt: at },
      isNew: true,
    }),
  },
  workflowInput: async () => ({}),
  platform: () => Promise.reject(new Error('not in these tests')),
  endpointOf: async () => null,
  runCommand: async () => ({ exitCode: 0, stdout: '', stderr: '', cut: false }),
  subworkflow: async () => ({ id: 'started' }) as NewExecution,
  work: noWorkRecord,
};
const ports = stepPorts as RunnerPorts;

const emptyBody = { size: 0, text: () => '', base64: () => '' };
const sentMessage = { ...emptyBody, text: () => '{"ok":true,"result":{"message_id":1}}' };

/** Like the outbound client, which has its own tests, rejects a URL of another scheme. */
function answerTo({ url }: OutboundRequest): OutboundResponse {
  if (!/^https?:/.test(url)) throw new StepError('http_blocked', 'URLs must begin with http:// or https://.');
  return { url, isFromHome: true, status: 200, headers: {}, body: emptyBody };
}

const facts: ConstructorParameters<typeof RunScope>[1] = {
  trigger,
  run: { id: 'run', started_at: '2026-03-28T22:30:00.000000', workflow: 'drawn' },
  vars: variables,
  links: ({ node }) => Object.fromEntries((node.component.links ?? []).map((name) => [name, 'http://localhost/'])),
};

const run = { isManual: false, variables, startedAt: now, trigger } as unknown as ClaimedRun;

/** The results of steps whose result depends on nothing but their config and their input. */
const received = new Map<string, Promise<Reception>>();

/** Performs a step as the runner does. */
export function performed(state: RunState, step: StepState, input: Json): Promise<Reception> {
  const attempt = attemptOf(state, step);
  const key = keyOf(step.node, { attempt, input });
  if (key === null) return receptionOf(attempt);
  const known = received.get(key) ?? receptionOf(attempt);
  received.set(key, known);
  return known;
}

function attemptOf(state: RunState, step: StepState): Attempt {
  const { node } = step;
  const ask = async () => ({ text: '[1]', stop: 'end', inputTokens: 0, outputTokens: 0 }) as const;
  return {
    executionId: 'run',
    workflowId: 1,
    step,
    attempt: 1,
    trigger,
    scope: new RunScope(state, facts).in(step.frame),
    now,
    run,
    outside: { ...stepPorts, askModel: ask },
    starts: [],
    placeholders: new Map(),
    evaluated: null,
    signal,
    meter: new Meter(() => 0),
    model:
      node.prompt === null
        ? null
        : new BoundModel({ ask, hold: async () => () => undefined, node, listen: () => null }),
  };
}

/** Null if the result depends on more: on names that the component itself evaluates, or that do not exist. */
function keyOf(
  { component, config, prompt, subs }: PlanNode,
  { attempt: { scope }, input }: { readonly attempt: Attempt; readonly input: Json },
): string | null {
  if (component.verbatim !== undefined || prompt !== null) return null;
  try {
    const resolved: JsonObject | Json = resolveConfig(config, scope, { now, meter: new Meter(() => 0) });
    const connected = [...subs].map(([slot, nodes]) => [slot, nodes.length]);
    return JSON.stringify([component.type, resolved, input, connected]);
  } catch (error) {
    if (error instanceof ExpressionError || error instanceof StepError) return null;
    throw error;
  }
}

async function receptionOf(attempt: Attempt): Promise<Reception> {
  try {
    await callComponent(ports, attempt);
    return 'accepted';
  } catch (error) {
    if (error instanceof StepError) return error.code;
    return error instanceof ExpressionError ? 'expression' : 'crashed';
  }
}
