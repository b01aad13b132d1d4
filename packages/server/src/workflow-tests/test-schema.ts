import { executionStatuses, momentOf } from '@millrace/core';
import { z } from 'zod';

/** A complete text, or a part of one. */
const textOrPart = z.union([z.string(), z.strictObject({ contains: z.string() })], {
  error: 'must be a text, or {contains: …} with a part of it',
});

const nodeId = z.string().min(1);

/** A request of a step, and its response. */
const exchange = z
  .strictObject({
    request: z.strictObject({
      method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']).default('GET'),
      url: textOrPart,
      headers: z.record(z.string(), textOrPart).optional(),
      body: z.json().optional(),
    }),
    response: z
      .strictObject({
        status: z.int().min(200).max(599).default(200),
        headers: z.record(z.string(), z.string()).optional(),
        body: z.json().optional(),
      })
      .optional(),
    /** Instead of a response: the connection fails for this reason. */
    fails: z.string().min(1).optional(),
    times: z.int().min(1).default(1),
  })
  .refine(({ response, fails }) => (response === undefined) !== (fails === undefined), {
    error: "Give either 'response' or 'fails'.",
  });

/** One entry of `http`, as a test file contains it. */
export type Exchange = z.output<typeof exchange>;

/** A model request of a step, and its answer. */
const modelAnswer = z
  .strictObject({
    /** The node that calls the model. */
    node: nodeId.optional(),
    input: textOrPart.optional(),
    /** The earlier messages of the conversation, oldest first. */
    history: z.array(textOrPart).optional(),
    answer: z.json().optional(),
    /** The tools that the model calls instead of an answer, or after a text. */
    calls: z
      .array(z.strictObject({ tool: z.string(), arguments: z.record(z.string(), z.json()).default({}) }))
      .min(1)
      .optional(),
    stop: z.enum(['end', 'length', 'refusal', 'other']).default('end'),
    input_tokens: z.int().min(0).default(0),
    output_tokens: z.int().min(0).default(0),
    fails: z.string().min(1).optional(),
    times: z.int().min(1).default(1),
  })
  .refine(({ answer, calls, fails }) => (answer ?? calls) !== undefined || fails !== undefined, {
    error: "Give 'answer', 'calls' or 'fails'.",
  })
  .refine(({ answer, calls, fails }) => (answer ?? calls) === undefined || fails === undefined, {
    error: "Give either 'fails' or an answer.",
  });

/** One entry of `models`, as a test file contains it. */
export type RecordedAnswer = z.output<typeof modelAnswer>;

/** What ends a wait: a person's answer, or a call of its address. */
const waitAnswer = z
  .strictObject({
    node: nodeId,
    frame: z.string().optional(),
    after_seconds: z.number().min(0).default(0),
    confirmed: z.boolean().optional(),
    response: z.string().optional(),
    body: z.json().optional(),
  })
  .refine(({ confirmed, body }) => (confirmed === undefined) !== (body === undefined), {
    error: "Give either 'confirmed', to a person's question, or 'body', to a callback.",
  });

/** One entry of `answers`, as a test file contains it. */
export type WaitAnswer = z.output<typeof waitAnswer>;

const expectation = z.strictObject({
  status: z.enum(executionStatuses).exclude(['pending', 'running']).optional(),
  path: z
    .union([z.array(nodeId), z.strictObject({ contains: z.array(nodeId) })], {
      error: 'must be a list of nodes, or {contains: …} with some of them',
    })
    .optional(),
  skipped: z.array(nodeId).optional(),
  outputs: z.record(z.string(), z.record(z.string(), z.json())).optional(),
  final_output: z.json().optional(),
  response: z
    .strictObject({
      status: z.int().optional(),
      headers: z.record(z.string(), textOrPart).optional(),
      body: z.json().optional(),
    })
    .optional(),
  error: z
    .strictObject({ node: nodeId.optional(), code: z.string().optional(), message: textOrPart.optional() })
    .optional(),
});

/** What a test expects at the end of the run. */
export type Expectation = z.output<typeof expectation>;

/** A command of a step, and how it ends. */
const commandEnd = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  input: z.json().optional(),
  exit_code: z.int().min(0).max(255).default(0),
  stdout: z.string().default(''),
  stderr: z.string().default(''),
  times: z.int().min(1).default(1),
});

/** One entry of `commands`, as a test file contains it. */
export type RecordedCommand = z.output<typeof commandEnd>;

const startTime = z
  .string()
  .refine((text) => momentOf(text) !== null, {
    error: 'must be a date with or without a time, e.g. 2026-03-01T09:00:00Z',
  })
  .transform((text) => momentOf(text) ?? 0);

/** What happens after the run has ended, and its result. */
const followUp = z
  .strictObject({
    /** Another message of the same conversation. */
    text: z.string().min(1).optional(),
    /** The same request again, with the same Idempotency-Key. */
    repeat: z.literal(true, { error: 'must be true' }).optional(),
    /** The run is retried. */
    retry: z.literal(true, { error: 'must be true' }).optional(),
    /** The run is replayed from this node. */
    replay_from: nodeId.optional(),
    expect: expectation,
  })
  .refine(({ expect: _, ...actions }) => Object.keys(actions).length === 1, {
    error: "Give one of 'text', 'repeat', 'retry' and 'replay_from'.",
  });

/** One entry of `then`, as a test file contains it. */
export type FollowUp = z.output<typeof followUp>;

const workflowTest = z.strictObject({
  name: z.string().min(1),
  trigger: nodeId.optional(),
  payload: z.json().optional(),
  text: z.string().min(1).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  query: z.record(z.string(), z.string()).optional(),
  vars: z.record(z.string(), z.json()).default({}),
  start_time: startTime.optional(),
  http: z.array(exchange).default([]),
  models: z.array(modelAnswer).default([]),
  commands: z.array(commandEnd).default([]),
  answers: z.array(waitAnswer).default([]),
  expect: expectation,
  // biome-ignore lint/suspicious/noThenProperty: nobody awaits a test; no other word is as clear in a test file.
  then: z.array(followUp).default([]),
});

/** One test, as a test file contains it. */
export type WorkflowTest = z.output<typeof workflowTest>;

/** The path of a workflow's file, or the workflow itself. */
const workflow = z.union([z.string().min(1), z.record(z.string(), z.json())], {
  error: 'must be the path of a file, or a workflow',
});

/** The contents of a test file. */
export const testFileSchema = z.strictObject({
  workflow,
  workflows: z.array(workflow).default([]),
  tests: z.array(workflowTest).min(1),
});
