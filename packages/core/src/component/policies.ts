import { z } from 'zod';
import type { Component } from './component.ts';

/** When and how often a failed step is retried. */
export const retryPolicy = z.strictObject({
  max_attempts: z.int().min(1).max(20).describe('The number of attempts, including the first one.').optional(),
  backoff: z.enum(['fixed', 'exponential']).describe('Whether the pause stays the same or doubles.').optional(),
  delay_ms: z.int().min(0).max(86_400_000).describe('The pause before the second attempt, in milliseconds.').optional(),
  jitter: z.boolean().describe('Whether each pause is shortened by a random part, so that failures spread.').optional(),
  max_delay_ms: z.int().min(0).max(86_400_000).describe('The longest pause, in milliseconds.').optional(),
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
    .optional(),
  on_error: z
    .enum(['stop', 'continue', 'route'])
    .describe(
      'What follows when all attempts failed: end the run, go on with the error as output, or take the error edge.',
    )
    .optional(),
  on_unknown: z
    .enum(['retry', 'fail', 'ask'])
    .describe(
      'What follows when the service stopped while the step was under way, or the execution ended then and is retried, so ' +
        'that nobody knows whether it acted: perform it again, fail, or ask a person. Default: `retry` for steps with an Idempotency-Key, `fail` for those without.',
    )
    .optional(),
  pinned_output: z
    .record(z.string(), z.json())
    .describe(
      'What the node puts out, by port, in executions that are started by hand: it is not performed in them. In all ' +
        'others it is performed as if this were not here.',
    )
    .optional(),
  join: z
    .union([z.enum(['all', 'any']), z.strictObject({ count: z.int().min(1) })])
    .describe('How many incoming edges must be taken before the node runs.')
    .optional(),
});

export type Policies = z.infer<typeof policies>;
export type RetryPolicy = z.infer<typeof retryPolicy>;
export const policyKeys: readonly string[] = Object.keys(policies.shape);

/**
 * Whether a key of a node's `extra_config` is a policy: only steps have policies, and a component may use such a name
 * itself.
 */
export function isPolicy(key: string, { run, ownNames }: Pick<Component<never>, 'run' | 'ownNames'>): boolean {
  return run !== undefined && policyKeys.includes(key) && ownNames?.includes(key) !== true;
}
