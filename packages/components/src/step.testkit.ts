import {
  type Component,
  type Connected,
  type ConversationPort,
  compileConfig,
  type FactsPort,
  type Json,
  type JsonObject,
  Meter,
  type ModelPort,
  noUsage,
  type OutboundRequest,
  type OutboundResponse,
  own,
  type PeoplePort,
  resolveConfig,
  runThrough,
  type Scope,
  type Script,
  type ScriptResult,
  type SlicedWork,
  type StepContext,
  StepError,
  type StepOutcome,
  type StepResult,
} from '@millrace/core';

/** The input and context of a step. Everything has a default, so a test sets only what matters to it. */
export interface Attempt {
  readonly input?: Json;
  /** As a user saves it: it is checked against the schema, then its expressions are evaluated, as in the runner. */
  readonly config?: JsonObject;
  /** The names in the scope of expressions. */
  readonly names?: JsonObject;
  readonly sources?: readonly string[];
  readonly now?: number;
  readonly http?: (request: OutboundRequest) => OutboundResponse;
  /** The result of the sandbox. */
  readonly runScript?: (script: Script) => ScriptResult;
  readonly systemPrompt?: string;
  /** The answer of the model. */
  readonly model?: ModelPort['ask'];
  readonly startWorkflow?: StepContext['startWorkflow'];
  readonly resolveUrl?: StepContext['resolveUrl'];
  readonly credentialEndpoint?: string;
  readonly runCommand?: StepContext['runCommand'];
  readonly platform?: StepContext['platform'];
  readonly git?: StepContext['git'];
  /** The connected nodes, by sub-input. */
  readonly connected?: Readonly<Record<string, readonly Connected[]>>;
  /** The earlier turns. */
  readonly conversation?: Partial<ConversationPort>;
  readonly facts?: Partial<FactsPort>;
  readonly people?: PeoplePort;
  /** Called where sliced work may pause. */
  readonly onPause?: () => void;
}

/** The current time in tests: 2026-03-28T22:30:00Z, some hours before the clocks change in Europe. */
const testNow = 1_774_737_000_000;

export const testKey = 'a-key-of-this-step';

/** Performs one step of a component, with a context that connects to nothing. */
export async function perform(component: Component<never>, attempt: Attempt = {}): Promise<StepResult> {
  const outcome = await attempted(component, attempt);
  if (!('outputs' in outcome)) throw new Error(`${component.type} is not done with this`);
  return outcome;
}

/** The same for a component that may not have a result yet. */
export async function attempted(component: Component<never>, attempt: Attempt = {}): Promise<StepOutcome> {
  const { input = null, config = {}, names = {}, now = testNow } = attempt;
  if (component.run === undefined) throw new Error(`${component.type} is never a step`);
  component.config.parse(config);
  const scope = scopeOf(names);
  const resolved = resolveConfig(compileConfig(config, component), scope, { now });
  try {
    return await component.run({ input, config: resolved as never, ctx: contextOf(attempt, scope, now) });
  } catch (error) {
    throw listed(component, error);
  }
}

/** A component must declare every error code that it throws, so that its documentation page can list it. */
function listed({ type, errors = [] }: Component<never>, error: unknown): unknown {
  if (!(error instanceof StepError) || errors.includes(error.code)) return error;
  return new Error(`${type} fails with '${error.code}', which is not among its errors: ${error.message}`);
}

function scopeOf(names: JsonObject): Scope {
  return { lookup: (name) => own(names, name), names: () => Object.keys(names) };
}

/** Sliced work that calls a function at each of its pauses. */
function* noted<Result>(work: SlicedWork<Result>, onPause = (): void => undefined): SlicedWork<Result> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    onPause();
    yield;
  }
}

function contextOf(attempt: Attempt, scope: Scope, now: number): StepContext {
  const { http, runScript, sources = [], systemPrompt = '', model, connected = {} } = attempt;
  return {
    scope,
    sources,
    meter: new Meter(() => 0),
    inSlices: (work) => runThrough(noted(work, attempt.onPause)),
    nodeId: 'tested',
    attempt: 1,
    idempotencyKey: testKey,
    signal: { aborted: false, addEventListener: () => {}, removeEventListener: () => {} },
    now: () => now,
    async git(request) {
      if (attempt.git === undefined) throw new Error('this test expects no repository');
      return attempt.git(request);
    },
    credentialEndpoint: async () => attempt.credentialEndpoint ?? null,
    async runCommand(request) {
      if (attempt.runCommand === undefined) throw new Error('this test expects no command');
      return attempt.runCommand(request);
    },
    async platform(request) {
      if (attempt.platform === undefined) throw new Error('this test expects no request to the service');
      return attempt.platform(request);
    },
    async startWorkflow(slug, payload, isWaitedFor) {
      if (attempt.startWorkflow === undefined) throw new Error('this test expects no other workflow');
      return attempt.startWorkflow(slug, payload, isWaitedFor);
    },
    async http(request) {
      if (http === undefined) throw new Error('this test expects no request');
      return http(request);
    },
    resolveUrl(...given) {
      if (attempt.resolveUrl === undefined) throw new Error('this test expects no address that an answer gives');
      return attempt.resolveUrl(...given);
    },
    // The patterns come from the tests, so the built-in engine is safe here.
    matches: (pattern, text) => new RegExp(pattern).test(text),
    capture(pattern, text) {
      const found = new RegExp(pattern).exec(text);
      return found && { match: found[0], groups: found.slice(1), named: { ...found.groups } };
    },
    // One rule is enough to distinguish a valid value from an invalid one.
    schemaIssue: ({ type }, value) => (type === undefined || type === typeof value ? null : `it must be ${type}`),
    async runScript(script) {
      if (runScript === undefined) throw new Error('this test expects no code');
      return runScript(script);
    },
    mcp() {
      throw new Error('this test expects no MCP server');
    },
    systemPrompt,
    modelNodeId: 'model',
    tools: async () => [],
    workflowInput: async () => ({}),
    model: {
      usage: noUsage,
      async ask(prompt) {
        if (model === undefined) throw new Error('this test expects no call of a model');
        return model(prompt);
      },
    },
    connected: (subInput) => connected[subInput] ?? [],
    conversation: {
      before: () => Promise.reject(new Error('this test expects nobody to remember')),
      keepSummary: () => Promise.reject(new Error('this test expects no summary')),
      ...attempt.conversation,
    },
    facts: {
      find: noMemory,
      list: noMemory,
      put: noMemory,
      remove: noMemory,
      ...attempt.facts,
    },
    people: attempt.people ?? { identify: noMemory },
  };
}

function noMemory(): Promise<never> {
  throw new Error('this test expects no memory');
}
