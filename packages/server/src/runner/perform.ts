import { createHash } from 'node:crypto';
import {
  ExpressionError,
  type Fact,
  type Failure,
  inputOf,
  type Json,
  type OutboundRequest,
  type OutboundResponse,
  type RunScope,
  type RunState,
  resolveConfig,
  retryDelay,
  retryRule,
  type Scope,
  type Step,
  type StepContext,
  StepError,
  type StepResult,
  type StepState,
  type Trigger,
} from '@millrace/core';
import type { RunnerPorts } from './ports.ts';

/** One attempt of one node, ready to be performed. */
export interface Attempt {
  readonly executionId: string;
  readonly state: RunState;
  readonly step: StepState;
  readonly attempt: number;
  readonly trigger: Trigger;
  readonly scope: RunScope;
  readonly signal: AbortSignal;
}

/** Seconds one attempt may take where neither the node nor its config says: longer than a slow model's answer. */
const defaultTimeoutSeconds = 300;

/** How long this attempt may take, in milliseconds. */
export function timeoutOf({ node }: StepState): number {
  return (node.policies.timeout_seconds ?? node.common.timeout ?? defaultTimeoutSeconds) * 1000;
}

class Context implements StepContext {
  readonly #ports: RunnerPorts;
  readonly #attempt: Attempt;

  constructor(ports: RunnerPorts, attempt: Attempt) {
    this.#ports = ports;
    this.#attempt = attempt;
  }
  get scope(): Scope {
    return this.#attempt.scope;
  }
  get nodeId(): string {
    return this.#attempt.step.node.nodeId;
  }
  get sources(): readonly string[] {
    return this.#attempt.step.inputEdges.map((edge) => edge.source);
  }
  get signal(): AbortSignal {
    return this.#attempt.signal;
  }
  get idempotencyKey(): string {
    // A step's key is the same for every attempt and after every crash: sha256(run, frame, node).
    const key = JSON.stringify([this.#attempt.executionId, '', this.nodeId]);
    return createHash('sha256').update(key).digest('hex');
  }
  now(): number {
    return this.#ports.clock.now();
  }
  http(request: OutboundRequest): Promise<OutboundResponse> {
    return this.#ports.http(request, this.#attempt.signal);
  }
  matches(pattern: string, text: string): boolean {
    return this.#ports.matches(pattern, text);
  }
}

/** Calls the component: the only place that does. Throws what the component throws. */
export function callComponent(ports: RunnerPorts, attempt: Attempt): StepResult | Promise<StepResult> {
  const { step, state, trigger, scope } = attempt;
  const { component, config } = step.node;
  if (component.run === undefined) throw new StepError('config', `'${component.type}' is not a step.`);
  const run = component.run as (step: Step<Json>) => StepResult | Promise<StepResult>;
  const resolved = resolveConfig(config, scope, { now: ports.clock.now() });
  return run({ input: inputOf(state, step, trigger), config: resolved, ctx: new Context(ports, attempt) });
}

/** The fact of an attempt that ended well. */
export function succeeded(attempt: Attempt, result: StepResult, times: { at: number; durationMs: number }): Fact {
  return {
    kind: 'step_succeeded',
    nodeId: attempt.step.node.nodeId,
    frame: '',
    attempt: attempt.attempt,
    ...times,
    outputs: result.outputs,
    ...(result.route !== undefined && { route: result.route }),
    ...(result.respond !== undefined && { respond: result.respond }),
    ...(result.metadata !== undefined && { metadata: result.metadata }),
  };
}

/** The fact of an attempt that failed, with the time of the next one if its error and its policy allow one. */
export function failed(
  ports: RunnerPorts,
  attempt: Attempt,
  outcome: { error: unknown; at: number; durationMs: number },
): Fact {
  const { error, at, durationMs } = outcome;
  const { node } = attempt.step;
  const rule = retryRule({ policies: node.policies, common: node.common, effect: node.component.effect });
  const retryable = error instanceof StepError ? error.retryable : !(error instanceof ExpressionError);
  const delay = retryable ? retryDelay(rule, attempt.attempt, ports.random()) : null;
  return {
    kind: 'step_failed',
    nodeId: node.nodeId,
    frame: '',
    attempt: attempt.attempt,
    at,
    durationMs,
    failure: failureOf(ports, attempt, error),
    retryAt: delay === null ? null : at + delay,
  };
}

function failureOf(ports: RunnerPorts, attempt: Attempt, error: unknown): Failure {
  if (error instanceof StepError) return { code: error.code, message: error.message };
  if (error instanceof ExpressionError) return { code: 'expression', message: error.message };
  const { node } = attempt.step;
  ports.log.error({ err: error, executionId: attempt.executionId, nodeId: node.nodeId }, 'component crashed');
  return {
    code: 'step_crashed',
    message: `The component '${node.component.type}' failed unexpectedly; the service's log has the details.`,
  };
}
