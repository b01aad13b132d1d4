import { recordedParts, textOrPart } from '@millrace/contract';
import { executionStatuses, momentOf } from '@millrace/core';
import { z } from 'zod';

const nodeId = z.string().min(1);

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
  http: recordedParts.http.default([]),
  models: recordedParts.models.default([]),
  commands: recordedParts.commands.default([]),
  git: recordedParts.git.default([]),
  mcp: recordedParts.mcp.default([]),
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
