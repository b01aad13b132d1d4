import { policies, retryDefaults, retryPolicy } from '@millrace/core';
import { table } from '../packages/server/src/http/reference/markdown-table.ts';

/** `docs/policies.md`: what every step takes in its config, made of the schemas that check it. */
export function policiesPage(): string {
  const { retry: _retry, ...others } = policies.shape;
  return `# Policies of a step

Every node that is performed takes these beside its component's own keys: in \`config.extra_config\` of the API, under \`policies\` in the steps form of a
[text](dsl.md). [When something fails](failures.md) says what they do together.

${table(
  ['key', 'takes', 'what it says'],
  Object.entries(others).map(([name, schema]) => [
    `\`${name}\``,
    kinds[name as keyof typeof kinds],
    descriptionOf(schema),
  ]),
)}

## \`retry\`

${descriptionOf(policies.shape.retry)} What is left out has its default; a node's \`max_retries\` stands for \`max_attempts\` less one.

${table(
  ['key', 'default', 'what it says'],
  Object.entries(retryPolicy.shape).map(([name, schema]) => [
    `\`${name}\``,
    `\`${retryDefaults[name as keyof typeof retryDefaults]}\``,
    descriptionOf(schema),
  ]),
)}

Without a \`retry\` policy, only transient failures are retried: no answer, a timeout, or status 408, 425, 429 or 500 and above. A
step with the effect \`once\` is then not retried at all.

A \`retry\` policy on the node itself applies to every failure, for example code that throws or status 404, for each effect.
Exceptions are failures that another attempt cannot change: a wrong config or expression, code that does not parse, a missing
connection, and a credential that is missing or does not fit. \`on: transient\` limits the policy to transient failures.

If the other service sends \`Retry-After\`, the pause is at least that long, up to an hour.
`;
}

/** What may be written; a test of the generated pages fails when a policy is missing here. */
const kinds: Readonly<Record<Exclude<keyof typeof policies.shape, 'retry'>, string>> = {
  timeout_seconds: 'a number',
  on_error: '`stop` (the default), `continue`, `route`',
  on_unknown: '`retry`, `fail`, `ask`',
  pinned_output: 'an object',
  join: '`all` (the default), `any`, `{count: n}`',
};

/** A schema that need not be given: its description stands on it, or within. */
interface Described {
  readonly description?: string | undefined;
  unwrap(): { readonly description?: string | undefined };
}

function descriptionOf(schema: Described): string {
  const text = schema.description ?? schema.unwrap().description;
  if (text === undefined) throw new Error('A policy has no description.');
  return text;
}
