import { asInteger, asText, defineComponent, isObject, type Json, type JsonObject, type Step } from '@millrace/core';
import { z } from 'zod';
import { callPlatform } from './call-platform.ts';

/** Workflows in one answer to a model: more would hide those that matter. */
const maxListed = 50;
const defaultListed = 20;
/** Workflows read with one request. */
const pageSize = 100;
/** Requests of one call: an owner with more workflows than these hold needs better words to search for. */
const maxPages = 20;

const config = z.strictObject({
  query: z
    .string()
    .describe('Words that the name, the slug or the description must contain. Default: all workflows.')
    .meta({ examples: ['invoice'] })
    .optional(),
  limit: z
    .union([z.int().min(1).max(maxListed), z.string()])
    .describe(`How many workflows to return at most, 1 to ${maxListed}.`)
    .meta({ default: defaultListed, examples: [5] })
    .optional(),
});

type Config = z.infer<typeof config>;

export const workflowDiscover = defineComponent({
  type: 'workflow_discover',
  label: 'Workflow Discover',
  category: 'Agent',
  icon: 'compass',
  color: '#14b8a6',
  description: `Lets an agent find the workflows that the owner of this workflow may see. Connect it to the agent by an edge labelled
\`tool\`; it is never a step of a run by itself.

The result is \`{total, workflows}\`, each workflow as \`{slug, name, description, is_active, input_schema}\`. To run one of
them, connect a \`spawn_and_await\` too.

\`\`\`json
{ "limit": 5 }
\`\`\``,
  errors: ['config', 'platform'],
  example: {
    workflow: `name: Find a workflow
trigger: manual
model: {model_name: some-model}
steps:
  - id: answer
    type: agent
    prompt: Answer the question.
    input: "{{ trigger.payload.question }}"
    tools: [{id: find, type: workflow_discover}]
`,
    tests: `workflows:
  - name: Send invoices
    slug: send-invoices
    trigger: workflow
    steps: [{id: done, type: template, template: sent}]
tests:
  - name: The agent finds the other workflow
    payload: {question: Can you send invoices?}
    models:
      - {node: answer, calls: [{tool: find, arguments: {query: invoice}}]}
      - {node: answer, input: {contains: send-invoices}, answer: 'Yes, with send-invoices.'}
    expect: {final_output: 'Yes, with send-invoices.'}
`,
  },
  inputs: [],
  outputs: [{ name: 'tool', dataType: 'tool', description: 'The search for workflows, as a tool for agents.' }],
  subInputs: [],
  effect: 'idempotent',
  tool: {
    description: 'Finds workflows by words in their names and descriptions.',
    fills: ['query', 'limit'],
    port: 'result',
  },
  version: 1,
  config,
  async call(step: Step<Config>) {
    const words = wordsOf(step);
    const limit = asInteger(step.config.limit ?? defaultListed, 'limit', { least: 1, most: maxListed });
    const found: JsonObject[] = [];
    for (let page = 0; page < maxPages; page += 1) {
      const query = { limit: String(pageSize), offset: String(page * pageSize) };
      const items = itemsIn(await callPlatform(step.ctx, { method: 'GET', path: '/api/v1/workflows/', query }));
      step.ctx.meter.spend(items.length);
      found.push(...items.filter((item) => matches(item, words)));
      if (items.length < pageSize) break;
    }
    return { outputs: { result: { total: found.length, workflows: found.slice(0, limit).map(shown) } } };
  },
});

function wordsOf({ config: { query } }: Step<Config>): readonly string[] {
  if (query === undefined) return [];
  return asText(query, 'query').toLowerCase().split(/\s+/).filter(Boolean);
}

function itemsIn(body: Json): readonly JsonObject[] {
  const items = isObject(body) ? body.items : null;
  return Array.isArray(items) ? items.filter((item) => isObject(item)) : [];
}

function matches({ name, slug, description }: JsonObject, words: readonly string[]): boolean {
  const text = `${name} ${slug} ${description}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function shown({ slug, name, description, is_active, input_schema }: JsonObject): JsonObject {
  return {
    slug: slug ?? null,
    name: name ?? null,
    description: description ?? null,
    is_active: is_active ?? null,
    input_schema: input_schema ?? null,
  };
}
