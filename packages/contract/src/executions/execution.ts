import {
  type ErrorHandling,
  type Execution,
  executionStatuses,
  formatInstant,
  type Json,
  type LogEntry,
  pauseStages,
} from '@millrace/core';
import { z } from 'zod';
import { json, jsonObject } from '../base/json.ts';
import { named } from '../base/named.ts';
import { maxBatch, pageOf, pageQuery, wholeNumber } from '../base/page.ts';
import { moment, optionalMoment, timestamp } from '../base/timestamp.ts';
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
  accepted_at: '2026-01-31T12:00:00.000000',
  started_at: '2026-01-31T12:00:00.000000',
  completed_at: '2026-01-31T12:00:00.125000',
  total_tokens: 0,
  total_cost_usd: 0,
  llm_calls: 0,
} as const;

/** An execution as lists show it. */
export const execution = named(
  'Execution',
  z.object({
    execution_id: z.uuidv7(),
    workflow_slug: z.string(),
    status: z.enum(executionStatuses),
    error_message: z.string().nullable().describe('Why it failed or was cancelled.'),
    error_code: z.string().nullable().describe('The code of that error.'),
    error_node_id: z
      .string()
      .nullable()
      .describe('The node whose failure ended it, or that it was at; null when no single node did.'),
    trigger_node_id: z.string(),
    workflow_version: z.int().describe('The version of the graph it runs; later edits do not change it.'),
    parent_execution_id: z.uuidv7().nullable(),
    replay_of: z.uuidv7().nullable().describe('The execution whose results it began with.'),
    accepted_at: timestamp.describe('When it was accepted and stored; it may wait before it starts.'),
    started_at: timestamp.nullable(),
    completed_at: timestamp.nullable(),
    total_tokens: z.int().describe('Tokens read and written by models in its steps.'),
    total_cost_usd: z.number().describe('By the prices of the model nodes; 0 where they have none.'),
    llm_calls: z.int().describe('Calls that models answered.'),
  }),
  { description: 'One run of a workflow.', example: executionExample },
);
type ExecutionBody = z.infer<typeof execution>;

/** What one paused step waits for. */
const executionWait = named(
  'ExecutionWait',
  z.object({
    node_id: z.string(),
    frame: z.string().describe('Empty for the run itself; an iteration of a loop is `loop[3]`.'),
    stage: z.enum(pauseStages).describe('`before` and `after` for a node that interrupts the execution.'),
    kind: z.enum(['timer', 'callback', 'approval', 'child']),
    prompt: z.string().nullable().describe('What a person is asked.'),
    until: timestamp.nullable().describe('When it waits no longer.'),
    execution_id: z.uuidv7().nullable().describe('The execution that it waits for.'),
    callback_url: z.string().nullable().describe('For those who may write: the address that ends the wait.'),
  }),
  { description: 'What one paused step waits for.' },
);

/** A question of an interrupted execution. */
const openQuestion = named(
  'OpenQuestion',
  z.object({
    node_id: z.string(),
    frame: z.string().describe('Empty for the run itself; an iteration of a loop is `loop[3]`.'),
    prompt: z.string(),
    since: timestamp.nullable().describe('When it was asked; null when an earlier release asked it.'),
    until: timestamp.nullable().describe('When its default counts; null when it has no end.'),
  }),
  { description: 'A question of an interrupted execution.' },
);

/** Answers a step that waits for a person. */
export const resumeRequest = named(
  'ResumeRequest',
  z.object({
    node_id: z.string(),
    confirmed: z.boolean(),
    response: z.string().max(10_000).optional().describe('What the person says to it.'),
    frame: z.string().optional().describe('Which iteration is meant, where the node waits in several.'),
  }),
  { description: 'The answer of a person to a step that waits for one.' },
);

/** The answer to a callback. */
export const resumedByCallback = named(
  'CallbackAnswer',
  z.object({ status: z.literal('resumed'), execution_id: z.uuidv7() }),
  {
    description: 'The execution goes on.',
    example: { status: 'resumed', execution_id: executionExample.execution_id },
  },
);

/** What a person adds to an answer by a signed link. */
export const linkAnswerRequest = named(
  'LinkAnswerRequest',
  z.object({ response: z.string().max(10_000).optional().describe('A comment on the answer.') }),
  { description: 'What a person adds to an answer by a signed link.' },
);

/** The answer to an approval or a refusal by a signed link. */
export const answeredByLink = named('LinkAnswer', z.object({ confirmed: z.boolean() }), {
  description: 'Whether the link approved or declined.',
  example: { confirmed: true },
});

/** An execution with what it was given, what it did and what came of it. */
export const executionDetail = named(
  'ExecutionDetail',
  execution.extend({
    trigger_payload: json,
    final_output: json,
    waits: z.array(executionWait).describe('What its paused steps wait for.'),
    open_questions: z.array(openQuestion).describe('What it asks people; only an interrupted execution has any.'),
    error_handler: z
      .object({
        execution_id: z.uuidv7().nullable().describe('The execution of the error handler workflow.'),
        detail: z.string().nullable().describe('Why the error handler was not started.'),
      })
      .nullable()
      .describe("What came of the workflow's error handler when the execution failed; null where it has none."),
    logs: z.array(executionLog),
    unreadable: z
      .array(z.enum(['trigger_payload', 'final_output', 'logs']))
      .describe(
        'Fields that are not shown, or not whole, because what is stored of them is damaged; nearly always none.',
      ),
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

/** What of an execution's logs to show. */
export const executionDetailQuery = z.object({
  // As far as a journal's places are counted: 32 bits.
  log: wholeNumber(1, 2 ** 31)
    .optional()
    .describe('The `id` of one log entry: `logs` has only this one, with its input and output in full.'),
});

export const executionList = pageOf('ExecutionList', execution);

/** Which executions a list shows. */
export const executionQuery = pageQuery.extend({
  workflow_slug: z.string().optional().describe('Executions of this workflow only.'),
  status: z.enum(executionStatuses).optional().describe('Executions with this status only.'),
  since: moment.optional().describe('Accepted at or after this moment.'),
  until: moment.optional().describe('Accepted at or before this moment.'),
  q: z.string().max(200).optional().describe('Text in payloads, outputs and errors, in any case.'),
});

const ids = z.array(z.string()).max(maxBatch);
/** Executions to delete; unknown ones and those that have not ended are left. */
export const executionBatch = named('ExecutionBatch', z.object({ execution_ids: ids }), {
  description: 'Executions to delete.',
});

/** How to start a workflow by hand. */
export const executeRequest = named(
  'ExecuteRequest',
  z.object({
    payload: json
      .optional()
      .describe(
        "The trigger payload. Left out: an empty object, and where a schedule starts it that node's `trigger_payload`.",
      ),
    text: z.string().optional().describe('The text of the trigger.'),
    trigger_node_id: z.string().nullish().describe('Where to start, when the workflow has several triggers.'),
    version: z
      .union([z.int().min(1), z.literal('draft')])
      .nullish()
      .describe(
        'The version of the graph to run, or `draft` for the newest; the version that triggers run when left out.',
      ),
    wait: z.boolean().optional().describe('Answer when the execution has ended, at the latest after 30 seconds.'),
  }),
  { description: 'How to start a workflow by hand.' },
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
        'The version to begin with, of an execution that performed no step as its workflow was not valid (`invalid_workflow`).',
      ),
  }),
  { description: 'How to retry an execution.' },
);

/** From where an execution is run again. */
export const replayRequest = named(
  'ReplayRequest',
  z.object({
    from_node: z.string().describe('The first node to run again, with all that follows it.'),
    overrides: z
      .record(z.string(), jsonObject)
      .optional()
      .describe('Other values for the outputs of nodes before it: by node id the ports and their values.'),
    version: z
      .int()
      .min(1)
      .nullish()
      .describe('The version of the graph to run; the one that the execution ran when left out.'),
  }),
  { description: 'From which node to run an execution again.' },
);

/** The execution that was started. */
export const executeAnswer = named(
  'ExecuteAnswer',
  z.object({
    execution_id: z.uuidv7(),
    status: z.enum(executionStatuses),
    final_output: json.optional().describe('Only with `wait`: the output; null until the execution has completed.'),
    error_message: z.string().nullable().optional().describe('Only with `wait`: why it failed or was cancelled.'),
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

/** An execution as lists show it. */
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
    accepted_at: formatInstant(run.acceptedAt),
    started_at: optionalMoment(run.startedAt),
    completed_at: optionalMoment(run.completedAt),
    total_tokens: run.usage.inputTokens + run.usage.outputTokens,
    total_cost_usd: run.usage.costUsd,
    llm_calls: run.usage.calls,
  };
}

/** What a detail shows beside the execution itself. */
interface ExecutionHistory {
  readonly payload: Json;
  readonly finalOutput: Json;
  readonly log: readonly LogEntry[];
  /** What became of the error handler; undefined when there is none. */
  readonly errorHandler: ErrorHandling | undefined;
  /** The parts that are damaged. */
  readonly unreadable: readonly (keyof typeof unreadableFields)[];
  readonly waits: readonly ShownWait[];
  /** The id of the one log entry to show in full; undefined for all, with values as far as they fit. */
  readonly only: number | undefined;
}

/** The fields that come from each stored part. */
const unreadableFields = {
  trigger: ['trigger_payload'],
  journal: ['final_output', 'logs'],
} as const;

/** An execution with its logs: one entry for each attempt and each skipped node. */
export function presentExecutionDetail(run: Execution, history: ExecutionHistory): ExecutionDetailBody {
  const { payload, finalOutput, log, errorHandler, unreadable, waits, only } = history;
  const logs = presentLogs(log, waits);
  return {
    ...presentExecution(run),
    trigger_payload: payload,
    final_output: finalOutput,
    waits: waits.map(presentWait),
    open_questions: waits.flatMap(presentQuestion),
    error_handler: presentHandling(errorHandler),
    logs: only === undefined ? fitLogValues(logs) : logs.filter(({ id }) => id === only),
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
