import type { NodeConfig } from '../component/node-config.ts';
import type { Policies, RetryPolicy } from '../component/policies.ts';
import type { Effect } from '../component/tools/effect.ts';
import type { ErrorCode } from '../errors.ts';

type PolicyRule = { readonly [K in keyof RetryPolicy]-?: Exclude<RetryPolicy[K], undefined> };

/** A policy, or the default. `not_performed` retries only failures after which the receiver has done nothing. */
interface RetryRule extends Omit<PolicyRule, 'on'> {
  readonly on: PolicyRule['on'] | 'not_performed';
}

/**
 * Defaults of a policy: three attempts within about three seconds outlast a restart or a lost connection; half a minute
 * is as long as a person would wait before checking.
 */
export const retryDefaults: PolicyRule = {
  max_attempts: 3,
  backoff: 'exponential',
  delay_ms: 1000,
  jitter: true,
  max_delay_ms: 30_000,
  on: 'any',
};

/**
 * The retry rule of a node: its policy, else its `max_retries`, else the default, which repeats no `once` step, unless its
 * type says which failures repeat nothing. Without a policy only transient failures are retried, and only those that
 * repeat nothing if the step is not repeatable.
 */
export function retryRule(node: RetriedNode): RetryRule {
  const { policies, common, effect, isRepeatable = true } = node;
  const byType = effect === 'once' && isRepeatable ? 1 : retryDefaults.max_attempts;
  const fallback = common.max_retries === null ? byType : common.max_retries + 1;
  const given = Object.fromEntries(Object.entries(policies.retry ?? {}).filter(([, value]) => value !== undefined));
  const byDefault = isRepeatable ? 'transient' : 'not_performed';
  const on = policies.retry === undefined ? byDefault : retryDefaults.on;
  return { ...retryDefaults, on, max_attempts: fallback, ...given };
}

interface RetriedNode {
  readonly policies: Policies;
  readonly common: NodeConfig;
  readonly effect: Effect;
  /** False if a repetition without the consent of the receiver could act twice. */
  readonly isRepeatable?: boolean;
}

/**
 * Failures that another attempt cannot change, because they follow from the version of the workflow, the data that it
 * has already read, or the setup of a credential.
 */
const permanentCodes: ReadonlySet<ErrorCode> = new Set([
  'config',
  'expression',
  'missing_connection',
  'code_syntax',
  'credential_missing',
  'credential_locked',
  'credential_unfit',
  'credential_origin',
]);

/** Whether a rule retries a failure while attempts are left. */
export function isRetried(
  { on }: Pick<RetryRule, 'on'>,
  { code, isTransient, isNotPerformed = false }: RetriedFailure,
): boolean {
  if (permanentCodes.has(code)) return false;
  if (on === 'not_performed') return isNotPerformed;
  return on === 'any' || isTransient;
}

interface RetriedFailure {
  readonly code: ErrorCode;
  /** Whether another attempt may succeed. */
  readonly isTransient: boolean;
  /** Whether the receiver said that it has done nothing and may be asked again. */
  readonly isNotPerformed?: boolean;
}

/**
 * The handling of a step with unknown outcome. A step with a key is repeated with the same key, so that the receiver
 * performs it once; any other step is not repeated automatically.
 */
export function onUnknownOf({ policies, component }: OnUnknownNode): 'retry' | 'fail' | 'ask' {
  return policies.on_unknown ?? (component.effect === 'once' ? 'fail' : 'retry');
}

interface OnUnknownNode {
  readonly policies: Policies;
  readonly component: { readonly effect: Effect };
}

/**
 * Milliseconds until the next attempt, or null if there is none.
 * @param attempt the attempt that failed, from 1
 * @param random a number in [0, 1) for the jitter, which reduces the delay by up to half
 */
export function retryDelay(rule: RetryRule, attempt: number, random: number): number | null {
  if (attempt >= rule.max_attempts) return null;
  // 2^30 ms is twelve days: beyond it the maximum always applies, and the power stays exact.
  const factor = rule.backoff === 'exponential' ? 2 ** Math.min(attempt - 1, 30) : 1;
  const pause = Math.min(rule.delay_ms * factor, rule.max_delay_ms);
  return Math.round(rule.jitter ? pause * (1 - random / 2) : pause);
}
