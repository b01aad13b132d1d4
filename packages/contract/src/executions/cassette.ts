import { type ErrorCode, errorTable, gitOperations, type JsonObject } from '@millrace/core';
import { z } from 'zod';
import { json, jsonObject } from '../base/json.ts';
import { named } from '../base/named.ts';

/** A complete text, or a part of one. */
export const textOrPart = z.union([z.string(), z.strictObject({ contains: z.string() })], {
  error: 'must be a text, or {contains: …} with a part of it',
});

const nodeId = z.string().min(1);
const times = z.int().min(1).optional().describe('How often it answers. Default: 1.');

const stepCodes = (Object.keys(errorTable) as ErrorCode[]).filter((code) => errorTable[code].kind === 'step');

/** Instead of an answer: why there is none. */
const failure = z
  .union(
    [
      z.string().min(1),
      z.strictObject({
        code: z.enum(stepCodes),
        message: z.string().min(1),
        retryable: z.boolean().optional(),
        not_performed: z.boolean().optional(),
        retry_after_ms: z.number().min(0).optional(),
      }),
    ],
    { error: 'must be a reason, or {code, message, …}' },
  )
  .describe('Instead of an answer: the step fails for this reason, with this code if it has one.');

/** How a recording says that there is no answer. */
export type RecordedFailure = z.output<typeof failure>;

/** A request of a step, and its response. */
const exchange = z
  .strictObject({
    request: z.strictObject({
      method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']).optional(),
      url: textOrPart,
      headers: z.record(z.string(), textOrPart).optional(),
      body: json.optional(),
    }),
    response: z
      .strictObject({
        status: z.int().min(200).max(599).optional(),
        url: z.string().optional().describe('The address that answered, if redirects led to another one.'),
        headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
        body: json.optional(),
        body_base64: z
          .string()
          .regex(/^[A-Za-z0-9+/]*={0,2}$/, 'must be base64')
          .optional()
          .describe('Instead of `body`: bytes that are not UTF-8 text.'),
      })
      .optional(),
    fails: failure.optional(),
    times,
  })
  .refine(({ response, fails }) => (response === undefined) !== (fails === undefined), {
    error: "Give either 'response' or 'fails'.",
  });

/** One entry of `http`. */
export type Exchange = z.output<typeof exchange>;

const recordedCall = z.strictObject({
  id: z.string().optional(),
  tool: z.string(),
  arguments: jsonObject.optional(),
  problem: z.string().optional().describe('Why the arguments cannot be used.'),
});

/** A model request of a step, and its answer. */
const modelAnswer = z
  .strictObject({
    node: nodeId.optional().describe('The node that calls the model.'),
    input: textOrPart.optional().describe('The last message to the model.'),
    history: z.array(textOrPart).optional().describe('The earlier messages of the conversation, oldest first.'),
    answer: json.optional(),
    calls: z
      .array(recordedCall)
      .min(1)
      .optional()
      .describe('The tools that the model calls instead of an answer, or after a text.'),
    raw: z
      .strictObject({ protocol: z.string(), model: z.string(), message: json })
      .optional()
      .describe('The message as the provider sent it, if it has more than text and calls.'),
    stop: z.enum(['end', 'length', 'refusal', 'other']).optional(),
    input_tokens: z.int().min(0).optional(),
    cached_input_tokens: z.int().min(0).optional(),
    output_tokens: z.int().min(0).optional(),
    fails: failure.optional(),
    times,
  })
  .refine(({ answer, calls, fails }) => (answer ?? calls) !== undefined || fails !== undefined, {
    error: "Give 'answer', 'calls' or 'fails'.",
  })
  .refine(({ answer, calls, fails }) => (answer ?? calls) === undefined || fails === undefined, {
    error: "Give either 'fails' or an answer.",
  });

/** One entry of `models`. */
export type RecordedAnswer = z.output<typeof modelAnswer>;

/** A command of a step, and how it ends. */
const commandEnd = z
  .strictObject({
    command: z.string().min(1),
    args: z.array(z.string()).optional(),
    input: json.optional(),
    exit_code: z.int().min(0).max(255).optional(),
    stdout: z.string().optional(),
    stderr: z.string().optional(),
    cut: z.boolean().optional().describe('Whether the output was longer than the limit.'),
    fails: failure.optional(),
    times,
  })
  .refine(
    ({ fails, exit_code: code, stdout, stderr }) => fails === undefined || (code ?? stdout ?? stderr) === undefined,
    {
      error: "Give either 'fails' or an answer.",
    },
  );

/** One entry of `commands`. */
export type RecordedCommand = z.output<typeof commandEnd>;

/** What a step asks of a repository, and what it gets. */
const gitAnswer = z
  .strictObject({
    request: z.strictObject({
      operation: z.enum(gitOperations),
      url: textOrPart,
      branch: z.string().nullish(),
      depth: z.int().optional(),
      paths: z.array(z.string()).optional(),
      files: z.record(z.string(), z.string().nullable()).optional(),
      message: textOrPart.optional(),
      author: z.strictObject({ name: z.string(), email: z.string() }).optional(),
      push: z.boolean().optional(),
      workspace: z.string().nullish(),
    }),
    output: jsonObject.optional().describe('The outputs of the node.'),
    fails: failure.optional(),
    times,
  })
  .refine(({ output, fails }) => (output === undefined) !== (fails === undefined), {
    error: "Give either 'output' or 'fails'.",
  });

/** One entry of `git`. */
export type RecordedGit = z.output<typeof gitAnswer>;

/** What an MCP server offers, or the call of one of its tools. */
const mcpAnswer = z
  .strictObject({
    node: nodeId.optional().describe('The node of the server.'),
    tools: z
      .array(
        z.strictObject({ name: z.string(), description: z.string().optional(), parameters: jsonObject.optional() }),
      )
      .optional()
      .describe('The list of its tools, as it is read.'),
    tool: z.string().optional().describe('The tool that is called.'),
    arguments: jsonObject.optional(),
    content: z.array(jsonObject).optional(),
    structured: json.optional(),
    is_error: z.boolean().optional().describe('Whether the tool reports that it failed.'),
    fails: failure.optional(),
    times,
  })
  .refine(({ tools, tool }) => tools === undefined || tool === undefined, { error: "Give either 'tools' or 'tool'." })
  .refine(({ tools, tool, fails }) => (tools ?? tool ?? fails) !== undefined, {
    error: "Give 'tools', 'tool' or 'fails'.",
  });

/** One entry of `mcp`. */
export type RecordedMcp = z.output<typeof mcpAnswer>;

/** The kinds of recorded exchanges, as keys of a test file. */
export const recordedParts = {
  http: z.array(exchange).optional(),
  models: z.array(modelAnswer).optional(),
  commands: z.array(commandEnd).optional(),
  git: z.array(gitAnswer).optional(),
  mcp: z.array(mcpAnswer).optional(),
};

/** What an execution exchanged with the outside, in the form of a test file. */
export const cassette = named('Cassette', z.strictObject(recordedParts), {
  description:
    'What an execution exchanged with the outside: requests, answers of models, commands, git and MCP servers. The keys are those of a test of a workflow.',
  example: {
    http: [
      {
        request: { method: 'GET', url: 'https://orders.example/orders/7' },
        response: { status: 200, headers: { 'content-type': 'application/json' }, body: { id: 7 } },
      },
    ],
    models: [{ node: 'summarize', input: 'Order 7', answer: 'One order.', input_tokens: 12, output_tokens: 3 }],
  },
});
type Cassette = z.output<typeof cassette>;

/** One exchange, with the key of its kind. */
interface KindEntry {
  readonly kind: string;
  readonly entry: JsonObject;
}

/** The exchanges of a cassette. */
export function exchangesIn(given: Cassette): readonly KindEntry[] {
  return Object.entries(given).flatMap(([kind, entries = []]) =>
    entries.map((entry) => ({ kind, entry: entry as JsonObject })),
  );
}

/** Exchanges as a cassette, by kind. */
export function presentCassette(exchanges: readonly KindEntry[]): Readonly<Record<string, readonly JsonObject[]>> {
  const kinds = Object.keys(recordedParts).filter((kind) => exchanges.some((one) => one.kind === kind));
  return Object.fromEntries(
    kinds.map((kind) => [kind, exchanges.filter((one) => one.kind === kind).map(({ entry }) => entry)]),
  );
}
