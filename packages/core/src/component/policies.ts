import { z } from 'zod';
import type { Component } from './component.ts';
import { ui } from './ui-hint.ts';

/** When and how often a failed step is retried. */
export const retryPolicy = z.strictObject({
  max_attempts: z.int().min(1).max(20).describe('The number of attempts, including the first one.').optional(),
  backoff: z
    .enum(['fixed', 'exponential'])
    .describe('Whether the delay between attempts stays the same or doubles.')
    .optional(),
  delay_ms: z
    .int()
    .min(0)
    .max(86_400_000)
    .describe('The delay before the second attempt, in milliseconds.')
    .meta(ui({ widget: 'duration', unit: 'milliseconds' }))
    .optional(),
  jitter: z
    .boolean()
    .describe('Whether each delay is reduced by a random amount, so that retries do not coincide.')
    .optional(),
  max_delay_ms: z
    .int()
    .min(0)
    .max(86_400_000)
    .describe('The maximum delay, in milliseconds.')
    .meta(ui({ widget: 'duration', unit: 'milliseconds' }))
    .optional(),
  on: z
    .enum(['any', 'transient'])
    .describe(
      'Which failures are retried: `any` that another attempt may change, or only `transient` ones, as without a policy.',
    )
    .optional(),
});

/** Seconds in a year: no wait of a node takes longer, and times stay far from the limits of dates. */
export const maxTimeoutSeconds = 31_536_000;

/** The keys of every executable node in `extra_config`, besides its component's own keys. */
export const policies = z.strictObject({
  retry: retryPolicy.describe('When and how often a failed step is retried.').optional(),
  timeout_seconds: z
    .number()
    .positive()
    .max(maxTimeoutSeconds)
    .describe('The maximum duration of one attempt; for a step that waits, of the wait.')
    .meta(ui({ widget: 'duration', unit: 'seconds' }))
    .optional(),
  on_error: z
    .enum(['stop', 'continue', 'route'])
    .describe(
      'What happens after the last failed attempt: fail the execution, continue with the error as output, or take the error edge.',
    )
    .optional(),
  on_unknown: z
    .enum(['retry', 'fail', 'ask'])
    .describe(
      'What happens if the service stopped, or the execution ended and is retried, while the step was in progress, so ' +
        'that it is unknown whether the step acted: perform it again, fail it, or ask a person. Default: `retry` for ' +
        'steps with an Idempotency-Key, `fail` for other steps.',
    )
    .optional(),
  pinned_output: z
    .record(z.string(), z.json())
    .describe(
      'The outputs of the node, by port, in executions that are started by hand. The node is not performed in them. ' +
        'All other executions ignore this key.',
    )
    .meta(ui({ widget: 'json' }))
    .optional(),
  join: z
    .union([z.enum(['all', 'any']), z.strictObject({ count: z.int().min(1) })])
    .describe('How many incoming edges must be taken before the node runs.')
    .optional(),
});

export type Policies = z.infer<typeof policies>;
export type RetryPolicy = z.infer<typeof retryPolicy>;
export const policyKeys: readonly string[] = Object.keys(policies.shape);
/** The keys of `retry`. */
export const retryKeys: readonly string[] = Object.keys(retryPolicy.shape);

/**
 * Whether a key of a node's `extra_config` is a policy: only steps and tools have policies, and a component may use such
 * a name itself.
 */
export function isPolicy(key: string, component: PolicyOwner): boolean {
  const { run, tool, ownNames } = component;
  return (run !== undefined || tool !== undefined) && policyKeys.includes(key) && ownNames?.includes(key) !== true;
}

/** What decides which policies a component has. */
export type PolicyOwner = Pick<Component<never>, 'run' | 'tool' | 'ownNames'>;
