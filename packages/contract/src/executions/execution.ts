import {
  type ErrorHandling,
  type Execution,
  executionStatuses,
  formatInstant,
  type Json,
  type LogEntry,
  pauseStages,
  type SlicedWork,
} from '@millrace/core';
import { z } from 'zod';
import { json, jsonObject } from '../base/json.ts';
import { named } from '../base/named.ts';
import { maxBatch, pageOf, pageQuery, wholeNumber } from '../base/page.ts';
import { moment, optionalMoment, timestamp } from '../base/timestamp.ts';
import { cassette } from './cassette.ts';
import { executionLog, presentLogs, type ShownWait } from './log.ts';
import { fitLogValues } from './log-values.ts';

const executionExample = {
  execution_id: '01980000-0000-7000-8000-000000000000',
  workflow_slug: 'orders',
  status: 'completed',
  error_message: null,
  error_code: null,
  error_node_id: null,
  trigger_node_id: 'hook',
  workflow_version: 4,
  parent_execution_id: null,
  replay_of: null,
  to_node: null,
  recording: null,
  accepted_at: '2026-01-31T12:00:00.000000',
  started_at: '2026-01-31T12:00:00.000000',
  completed_at: '2026-01-31T12:00:00.125000',
  total_tokens: 0,
  total_cost_usd: 0,
  llm_calls: 0,
} as const;

/** The fields of an execution that lists and details share. */
export const execution = named(
  'Execution',
  z.object({
    execution_id: z.uuidv7(),
    workflow_slug: z.string(),
    status: z.enum(executionStatuses),
    error_message: z.string().nullable().describe('Why the execution failed or was cancelled.'),
    error_code: z.string().nullable().describe('The error code; see the list of error codes.'),
    error_node_id: z
      .string()
      .nullable()
      .describe(
        'The node whose failure ended the execution, or that was in progress when it ended; null if there is no such node, or several.',
      ),
    trigger_node_id: z.string(),
    workflow_version: z.int().describe('The version of the graph that it runs; later edits do not affect it.'),
    parent_execution_id: z.uuidv7().nullable(),
    replay_of: z.uuidv7().nullable().describe('The execution whose results it reuses.'),
    to_node: z
      .string()
      .nullable()
      .describe('The last node to run, for an execution that runs only the nodes before it; otherwise null.'),
    recording: z
      .enum(['recorded', 'replayed'])
      .nullable()
      .describe(
        '`recorded` if its exchanges with the outside are recorded, `replayed` if it gets recorded answers; otherwise null.',
      ),
    accepted_at: timestamp.describe('When the execution was accepted and stored. It starts later if it is queued.'),
    started_at: timestamp.nullable(),
    completed_at: timestamp.nullable(),
    total_tokens: z.int().describe('Input and output tokens of the model calls of its steps.'),
    total_cost_usd: z.number().describe('Computed from the prices set in the model nodes; 0 if none are set.'),
    llm_calls: z.int().describe('The number of answered model calls.'),
  }),
  { description: 'One run of a workflow.', example: executionExample },
);
type ExecutionBody = z.infer<typeof execution>;

/** A wait of a paused step. */
const executionWait = named(
  'ExecutionWait',
  z.object({
    node_id: z.string(),
    frame: z
      .string()
      .describe(
        'Where the step runs: empty for the workflow itself; `loop[3]` for iteration 3 of the node `loop`, counted from 0, and `agent[3]` for a call of an agent.',
      ),
    stage: z
      .enum(pauseStages)
      .describe(
        '`step` if the node itself waits; `before` or `after` if the node has `interrupt_before` or `interrupt_after`.',
      ),
    kind: z.enum(['timer', 'callback', 'approval', 'child']),
    prompt: z.string().nullable().describe('The question to a person.'),
    until: timestamp.nullable().describe('When the wait ends.'),
    execution_id: z.uuidv7().nullable().describe('The execution for which it waits.'),
    callback_url: z
      .string()
      .nullable()
      .describe('The URL that ends the wait; only for callers who may change the workflow.'),
  }),
  { description: 'A wait of a paused step.' },
);

/** A question of an interrupted execution. */
const openQuestion = named(
  'OpenQuestion',
  z.object({
    node_id: z.string(),
    frame: z
      .string()
      .describe(
        'Where the step runs: empty for the workflow itself; `loop[3]` for iteration 3 of the node `loop`, counted from 0, and `agent[3]` for a call of an agent.',
      ),
    prompt: z.string(),
    since: timestamp
      .nullable()
      .describe('When it was asked; null for a question from a release that did not store this time.'),
    until: timestamp.nullable().describe('When the default answer applies; null if there is no time limit.'),
  }),
  { description: 'A question of an interrupted execution.' },
);

/** The answer to a step that waits for a person. */
export const resumeRequest = named(
  'ResumeRequest',
  z.object({
    node_id: z.string(),
    confirmed: z.boolean(),
    response: z.string().max(10_000).optional().describe('A comment of the person.'),
    frame: z.string().optional().describe('The iteration, if the node waits in several.'),
  }),
  { description: "A person's answer to a waiting step." },
);

/** The response to a callback. */
export const resumedByCallback = named(
  'CallbackAnswer',
  z.object({ status: z.literal('resumed'), execution_id: z.uuidv7() }),
  {
    description: 'The execution continues.',
    example: { status: 'resumed', execution_id: executionExample.execution_id },
  },
);

/** A comment on an answer by a signed link. */
export const linkAnswerRequest = named(
  'LinkAnswerRequest',
  z.object({ response: z.string().max(10_000).optional().describe('A comment on the answer.') }),
  { description: 'A comment on an answer by a signed link.' },
);

/** The response to an answer by a signed link. */
export const answeredByLink = named('LinkAnswer', z.object({ confirmed: z.boolean() }), {
  description: 'Whether the link approved or declined.',
  example: { confirmed: true },
});

/** An execution with its input, its logs and its output. */
export const executionDetail = named(
  'ExecutionDetail',
  execution.extend({
    trigger_payload: json,
    final_output: json,
    waits: z.array(executionWait).describe('The waits of its paused steps.'),
    open_questions: z
      .array(openQuestion)
      .describe('The open questions to people; only an interrupted execution has any.'),
    error_handler: z
      .object({
        execution_id: z.uuidv7().nullable().describe('The execution of the error handler workflow.'),
        detail: z.string().nullable().describe('Why the error handler was not started.'),
      })
      .nullable()
      .describe("The outcome of the workflow's error handler after the execution failed; null if it has none."),
    logs: z.array(executionLog),
    unreadable: z
      .array(z.enum(['trigger_payload', 'final_output', 'logs']))
      .describe('Fields that are missing or incomplete because their stored data is damaged; nearly always empty.'),
  }),
  {
    description: 'An execution with its input, its logs and its output.',
    example: {
      ...executionExample,
      trigger_payload: { name: 'world' },
      final_output: 'Hello, world!',
      waits: [],
      open_questions: [],
      error_handler: null,
      logs: [
        {
          id: 2,
          node_id: 'greet',
          frame: '',
          attempt: 1,
          status: 'success',
          input: { name: 'world' },
          output: { text: 'Hello, world!' },
          error: null,
          error_code: null,
          metadata: {},
          duration_ms: 1,
          queued_at: '2026-01-31T12:00:00.124000',
          started_at: '2026-01-31T12:00:00.124000',
          ended_at: '2026-01-31T12:00:00.125000',
          timestamp: '2026-01-31T12:00:00.125000',
        },
      ],
      unreadable: [],
    },
  },
);
type ExecutionDetailBody = z.infer<typeof executionDetail>;

/** Which logs of an execution to return. */
export const executionDetailQuery = z.object({
  // Journal positions are less than 2 ** 31.
  log: wholeNumber(1, 2 ** 31)
    .optional()
    .describe('The `id` of a log entry: `logs` then contains only this entry, with its complete input and output.'),
});

export const executionList = pageOf('ExecutionList', execution);

/** Filters of a list of executions. */
export const executionQuery = pageQuery.extend({
  workflow_slug: z.string().optional().describe('Only executions of this workflow.'),
  status: z.enum(executionStatuses).optional().describe('Only executions with this status.'),
  since: moment.optional().describe('Only executions accepted at or after this time.'),
  until: moment.optional().describe('Only executions accepted at or before this time.'),
  q: z
    .string()
    .max(200)
    .optional()
    .describe('Only executions with this text in the payload, the output or an error, ignoring upper and lower case.'),
});

const ids = z.array(z.string()).max(maxBatch);
/** Executions to delete; unknown and open ones are ignored. */
export const executionBatch = named('ExecutionBatch', z.object({ execution_ids: ids }), {
  description: 'Executions to delete. Unknown ids, and executions that have not ended, are ignored.',
});

/** How to start a workflow manually. */
export const executeRequest = named(
  'ExecuteRequest',
  z.object({
    payload: json
      .optional()
      .describe(
        'The trigger payload. Default: an empty object; for a schedule trigger, the `trigger_payload` of the node.',
      ),
    text: z.string().optional().describe('The text of the trigger.'),
    trigger_node_id: z.string().nullish().describe('The trigger at which to start, if the workflow has several.'),
    version: z
      .union([z.int().min(1), z.literal('draft')])
      .nullish()
      .describe(
        'The version of the graph to run, or `draft` for the newest; by default, the version that triggers run.',
      ),
    to_node: z
      .string()
      .nullish()
      .describe(
        'The last node to run: only this node and the nodes before it run. For a node in the body of a loop, the outermost loop is the last node.',
      ),
    wait: z
      .boolean()
      .optional()
      .describe('If true, the response is sent when the execution has ended, or after 30 seconds.'),
    record: z
      .boolean()
      .optional()
      .describe('If true, what the execution exchanges with the outside is recorded: see `…/cassette/`.'),
    cassette: z
      .union([z.uuidv7(), cassette])
      .nullish()
      .describe(
        'The execution gets the answers of this recording only, and has no access to the outside. An id names the recorded execution.',
      ),
  }),
  { description: 'How to start a workflow manually.' },
);

/** How to retry an execution. */
export const retryRequest = named(
  'RetryRequest',
  z.object({
    version: z
      .int()
      .min(1)
      .nullish()
      .describe(
        'The version to run, for an execution that performed no step because its workflow was invalid (`invalid_workflow`).',
      ),
  }),
  { description: 'How to retry an execution.' },
);

/** The node from which to replay an execution. */
export const replayRequest = named(
  'ReplayRequest',
  z.object({
    from_node: z.string().describe('The first node to run again, with all nodes after it.'),
    to_node: z
      .string()
      .nullish()
      .describe(
        'The last node to run. If it is `from_node`, only this node runs, with the results of the execution and pinned outputs as its input.',
      ),
    overrides: z
      .record(z.string(), jsonObject)
      .optional()
      .describe('Replacement values for the outputs of nodes before it: by node id, the ports and their values.'),
    version: z
      .int()
      .min(1)
      .nullish()
      .describe('The version of the graph to run; by default, the version that the execution ran.'),
  }),
  { description: 'The node from which to replay an execution.' },
);

/** The execution that was started. */
export const executeAnswer = named(
  'ExecuteAnswer',
  z.object({
    execution_id: z.uuidv7(),
    status: z.enum(executionStatuses),
    final_output: json.optional().describe('Only with `wait`: the output; null unless the execution has completed.'),
    error_message: z
      .string()
      .nullable()
      .optional()
      .describe('Only with `wait`: why the execution failed or was cancelled.'),
  }),
  {
    description: 'The execution that was started.',
    example: {
      execution_id: executionExample.execution_id,
      status: 'completed',
      final_output: { greeting: 'Hello, world!' },
      error_message: null,
    },
  },
);

/** The JSON of an execution in a list. */
export function presentExecution(run: Execution): ExecutionBody {
  return {
    execution_id: run.id,
    workflow_slug: run.workflowSlug,
    status: run.status,
    error_message: run.failure?.message ?? null,
    error_code: run.failure?.code ?? null,
    error_node_id: run.errorNodeId,
    trigger_node_id: run.triggerNodeId,
    workflow_version: run.workflowVersion,
    parent_execution_id: run.parentExecutionId,
    replay_of: run.replayOf,
    to_node: run.toNodeId,
    recording: run.recording,
    accepted_at: formatInstant(run.acceptedAt),
    started_at: optionalMoment(run.startedAt),
    completed_at: optionalMoment(run.completedAt),
    total_tokens: run.usage.inputTokens + run.usage.outputTokens,
    total_cost_usd: run.usage.costUsd,
    llm_calls: run.usage.calls,
  };
}

/** The parts of a detail besides the execution itself. */
interface ExecutionHistory {
  readonly payload: Json;
  readonly finalOutput: Json;
  readonly log: readonly LogEntry[];
  /** The outcome of the error handler; undefined if there is none. */
  readonly errorHandler: ErrorHandling | undefined;
  /** The damaged parts. */
  readonly unreadable: readonly (keyof typeof unreadableFields)[];
  readonly waits: readonly ShownWait[];
  /** The id of the log entry to return in full; undefined for all entries, in which large values are shortened. */
  readonly only: number | undefined;
}

/** The response fields that each stored part provides. */
const unreadableFields = {
  trigger: ['trigger_payload'],
  journal: ['final_output', 'logs'],
} as const;

/** An execution with its logs: one entry per attempt and per skipped node. It may stop after each value. */
export function* presentExecutionDetail(run: Execution, history: ExecutionHistory): SlicedWork<ExecutionDetailBody> {
  const { payload, finalOutput, log, errorHandler, unreadable, waits, only } = history;
  const logs = presentLogs(log, waits);
  return {
    ...presentExecution(run),
    trigger_payload: payload,
    final_output: finalOutput,
    waits: waits.map(presentWait),
    open_questions: waits.flatMap(presentQuestion),
    error_handler: presentHandling(errorHandler),
    logs: only === undefined ? yield* fitLogValues(logs) : logs.filter(({ id }) => id === only),
    unreadable: unreadable.flatMap((part) => unreadableFields[part]),
  };
}

function presentWait({ nodeId, frame, stage, pause, callbackUrl }: ShownWait): ExecutionDetailBody['waits'][number] {
  return {
    node_id: nodeId,
    frame,
    stage,
    kind: pause.kind,
    prompt: pause.kind === 'approval' ? pause.prompt : null,
    until: optionalMoment(pause.until),
    execution_id: pause.kind === 'child' ? pause.executionId : null,
    callback_url: callbackUrl,
  };
}

/** The question of a step that waits for a person. */
function presentQuestion({ nodeId, frame, pause, pausedAt }: ShownWait): ExecutionDetailBody['open_questions'] {
  if (pause.kind !== 'approval') return [];
  const { prompt, until } = pause;
  return [{ node_id: nodeId, frame, prompt, since: optionalMoment(pausedAt), until: optionalMoment(until) }];
}

function presentHandling(handling: ErrorHandling | undefined): ExecutionDetailBody['error_handler'] {
  if (handling === undefined) return null;
  return 'executionId' in handling
    ? { execution_id: handling.executionId, detail: null }
    : { execution_id: null, detail: handling.skipped };
}
