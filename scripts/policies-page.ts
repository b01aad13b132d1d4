import { policies, retryDefaults, retryPolicy } from '@millrace/core';
import { table } from '../packages/server/src/http/reference/markdown-table.ts';

/** `docs/policies.md`: the policies of every step, generated from the schemas that validate them. */
export function policiesPage(): string {
  const { retry: _retry, ...others } = policies.shape;
  return `# Step policies

Every executable node accepts these keys in addition to its component's own keys: in
\`config.extra_config\` in the API, and under \`policies\` in the steps form of [YAML](dsl.md).
[Failures](failures.md) explains how they work together.

${table(
  ['key', 'value', 'meaning'],
  Object.entries(others).map(([name, schema]) => [
    `\`${name}\``,
    kinds[name as keyof typeof kinds],
    descriptionOf(schema),
  ]),
)}

## \`retry\`

${descriptionOf(policies.shape.retry)} Omitted keys have their defaults. The
common key \`max_retries\` is an alternative to \`max_attempts\`; its value is one less.

${table(
  ['key', 'default', 'meaning'],
  Object.entries(retryPolicy.shape).map(([name, schema]) => [
    `\`${name}\``,
    `\`${retryDefaults[name as keyof typeof retryDefaults]}\``,
    descriptionOf(schema),
  ]),
)}

Without a \`retry\` policy, only transient failures are retried: no answer, a timeout, or status 408,
425, 429 or 500 and above. A step with the effect \`once\` is then not retried at all.

A \`retry\` policy on the node itself applies to every failure, for example code that throws or status
404, whatever the effect of the step. Exceptions are failures that another attempt cannot change: an
invalid config or expression, code with a syntax error, a missing connection, and a credential that
is missing or unusable. \`on: transient\` limits the policy to transient failures.

If the other service sends \`Retry-After\`, the delay is at least that long, up to an hour.
`;
}

/** The type of each value; the test of the generated pages fails if a policy is missing here. */
const kinds: Readonly<Record<Exclude<keyof typeof policies.shape, 'retry'>, string>> = {
  timeout_seconds: 'a number',
  on_error: '`stop` (the default), `continue`, `route`',
  on_unknown: '`retry`, `fail`, `ask`',
  pinned_output: 'an object',
  join: '`all` (the default), `any`, `{count: n}`',
};

/** An optional schema: the description is on it or on the inner schema. */
interface Described {
  readonly description?: string | undefined;
  unwrap(): { readonly description?: string | undefined };
}

function descriptionOf(schema: Described): string {
  const text = schema.description ?? schema.unwrap().description;
  if (text === undefined) throw new Error('A policy has no description.');
  return text;
}
