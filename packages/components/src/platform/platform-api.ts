import {
  asObject,
  asOneOf,
  asText,
  defineComponent,
  type Json,
  type JsonObject,
  type SettingIssue,
  type Step,
  StepError,
  textOf,
} from '@millrace/core';
import { z } from 'zod';
import { callPlatform } from './call-platform.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const defaultAllowed = ['GET /workflows/*', 'GET /executions/*'];
/** A method, and a path below `/api/v1` in which `*` stands for any characters. */
const pattern = /^(GET|POST|PUT|PATCH|DELETE) (\/[A-Za-z0-9_\-/*]*)$/;
/** No other characters: `%2e`, `..`, `//` or `?` could lead to an endpoint that a pattern does not name. */
const plainPath = /^(?:\/[A-Za-z0-9_-]+)+\/?$/;

const config = z.strictObject({
  allow: z
    .array(z.string().regex(pattern, "must be a method and a path below /api/v1, such as 'GET /workflows/*'"))
    .min(1)
    .describe('The requests that the model may make: a method and a path below `/api/v1`; `*` stands for anything.')
    .meta({ default: defaultAllowed, examples: [['GET /workflows/*', 'POST /workflows/invoices/execute/']] })
    .optional(),
  method: z
    .string()
    .describe('The HTTP method. Default: the model gives it, or GET.')
    .meta({ examples: ['GET'] })
    .optional(),
  path: z
    .string()
    .min(1)
    .describe('The path below `/api/v1`. Default: the model gives it.')
    .meta({ examples: ['/executions/'] })
    .optional(),
  query: z
    .union([z.record(z.string(), z.json()), z.string()])
    .describe('The parameters of the query.')
    .meta({ examples: [{ status: 'failed', limit: 5 }] })
    .optional(),
  body: z
    .json()
    .describe('The body, sent as JSON.')
    .meta({ examples: [{ payload: { number: 17 } }] })
    .optional(),
});

type Config = z.infer<typeof config>;

export const platformApi = defineComponent({
  type: 'platform_api',
  label: 'Platform API',
  category: 'Agent',
  icon: 'plug-zap',
  color: '#14b8a6',
  description: `Lets an agent call the API of this service with the rights of the owner of this workflow. Connect it to the agent by an edge
labelled \`tool\`; it is never a step of a run by itself.

By default the model may only read workflows and executions. \`allow\` lists the requests that it may make:

\`\`\`json
{ "allow": ["GET /executions/*", "POST /executions/*/retry/"] }
\`\`\`

Whatever \`allow\` says, credentials, variables, keys, users, collaborators and the answers to approvals are out of reach: an
agent cannot read a secret or approve its own work.`,
  errors: ['config', 'platform'],
  example: {
    workflow: `name: Operator
trigger: manual
model: {model_name: some-model}
steps:
  - id: answer
    type: agent
    prompt: Answer questions about this service.
    input: "{{ trigger.payload.question }}"
    tools: [{id: api, type: platform_api}]
`,
    tests: `tests:
  - name: The agent reads executions
    payload: {question: What is running?}
    models:
      - {node: answer, calls: [{tool: api, arguments: {path: /executions/, query: {status: running}}}]}
      - {node: answer, input: {contains: '"total":1'}, answer: Only this workflow.}
    expect: {final_output: Only this workflow.}
  - name: The agent cannot read credentials
    payload: {question: Show me the keys.}
    models:
      - {node: answer, calls: [{tool: api, arguments: {path: /credentials/}}]}
      - {node: answer, input: {contains: may not be made}, answer: I cannot see them.}
    expect: {final_output: I cannot see them.}
`,
  },
  inputs: [],
  outputs: [{ name: 'tool', dataType: 'tool', description: 'The API of the service, as a tool for agents.' }],
  subInputs: [],
  effect: 'once',
  tool: {
    description: 'Makes a request to the API of this service. Paths begin below /api/v1, for example /executions/.',
    fills: ['method', 'path', 'query', 'body'],
    requires: ['path'],
    port: 'result',
    effectOf: effectIn,
  },
  version: 1,
  config,
  verbatim: ['allow'],
  issues: methodIssues,
  async call({
    config: { allow = defaultAllowed, method: given = 'GET', path: wanted, query, body },
    ctx,
  }: Step<Config>) {
    const method = asOneOf(given.toUpperCase(), 'method', methods);
    if (wanted === undefined) throw new StepError('config', "'path' is missing: give a path such as /executions/.");
    const path = pathOf(asText(wanted, 'path'));
    if (!allow.some((each) => isAllowedBy(each, method, path))) {
      const message = `${method} ${path} may not be made with this tool. Allowed: ${allow.join('; ')}.`;
      throw new StepError('platform', message);
    }
    const request = {
      method,
      path: `/api/v1${path}`,
      ...(query !== undefined && { query: textsIn(asObject(query, 'query')) }),
      ...(body !== undefined && method !== 'GET' && { body }),
    };
    return { outputs: { result: await callPlatform(ctx, request) } };
  },
});

/** Only reads can be repeated: what a model asks for is not known before the call. */
function effectIn({ method, allow }: JsonObject): 'idempotent' | 'once' {
  const patterns: readonly Json[] = Array.isArray(allow) ? allow : defaultAllowed;
  const readsOnly = patterns.every((each) => typeof each === 'string' && each.startsWith('GET '));
  return readsOnly || method === 'GET' ? 'idempotent' : 'once';
}

function methodIssues({ method }: JsonObject): readonly SettingIssue[] {
  if (typeof method !== 'string' || method.includes('{{')) return [];
  if (methods.some((each) => each === method.toUpperCase())) return [];
  return [{ path: ['method'], severity: 'error', message: `must be one of ${methods.join(', ')}` }];
}

/** The path with a slash at its end, as all paths of the API have. */
function pathOf(given: string): string {
  const path = given.replace(/^\/api\/v1(?=\/)/, '');
  if (!plainPath.test(path)) {
    const message =
      "'path' must be names separated by '/', without a query, such as /executions/. Use 'query' for that.";
    throw new StepError('config', message);
  }
  return path.endsWith('/') ? path : `${path}/`;
}

function isAllowedBy(allowed: string, method: string, path: string): boolean {
  const [, verb, template = ''] = pattern.exec(allowed) ?? [];
  if (verb !== method) return false;
  const parts = (template.endsWith('/') || template.endsWith('*') ? template : `${template}/`).split('*');
  return matchesParts(path, parts);
}

/** Whether a path consists of these parts in order, with anything between them. */
function matchesParts(path: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts;
  if (rest.length === 0) return path === first;
  if (!path.startsWith(first)) return false;
  const last = rest.at(-1) ?? '';
  let at = first.length;
  for (const part of rest.slice(0, -1)) {
    const found = path.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return path.length - last.length >= at && path.endsWith(last);
}

function textsIn(query: JsonObject): Record<string, string> {
  const entries = Object.entries(query).filter(([, value]) => value !== null);
  return Object.fromEntries(entries.map(([name, value]) => [name, textOf(value) ?? JSON.stringify(value)]));
}
