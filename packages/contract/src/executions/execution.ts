import {
  attemptNumbers,
  type Execution,
  executionStatuses,
  type Fact,
  formatInstant,
  type Instant,
  type JournalEntry,
  type Json,
  type JsonObject,
  type Pause,
  type PauseKey,
  pauseStages,
  type RunFinished,
  stoppedBecause,
} from '@millrace/core';
import { z } from 'zod';
import { json, jsonObject } from '../base/json.ts';
import { named } from '../base/named.ts';
import { maxBatch, pageOf, pageQuery, wholeNumber } from '../base/page.ts';
import { moment, timestamp } from '../base/timestamp.ts';
import { agreements } from './log-agreements.ts';
import { fitLogValues } from './log-values.ts';

const executionExample = {
  execution_id: '01980000-0000-7000-8000-000000000000',
  workflow_slug: 'orders',
  status: 'completed',
  error_message: null,
  trigger_node_id: 'hook',
  workflow_version: 4,
  parent_execution_id: null,
  replay_of: null,
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
    trigger_node_id: z.string(),
    workflow_version: z.int().describe('The version of the graph it runs; later edits do not change it.'),
    parent_execution_id: z.uuidv7().nullable(),
    replay_of: z.uuidv7().nullable().describe('The execution whose results it began with.'),
    started_at: timestamp.nullable(),
    completed_at: timestamp.nullable(),
    total_tokens: z.int().describe('Tokens read and written by models in its steps.'),
    total_cost_usd: z.number().describe('By the prices of the model nodes; 0 where they have none.'),
    llm_calls: z.int().describe('Calls that models answered.'),
  }),
  { description: 'One run of a workflow.', example: executionExample },
);
type ExecutionBody = z.infer<typeof execution>;

const orMarker =
  'Where it is too large to be shown with all others: `{"truncated": true, "size": <characters>, "preview": "<the first 200>"}`.';

/** One attempt of one node. */
const executionLog = named(
  'ExecutionLog',
  z.object({
    id: z.int().describe('Its place in the journal.'),
    node_id: z.string(),
    frame: z.string().describe('Empty for the run itself; an iteration of a loop is `loop[3]`.'),
    attempt: z.int().describe('From 1, and on after a retry of the execution; 0 for a node that was skipped.'),
    status: z
      .enum(['success', 'failed', 'skipped', 'waiting'])
      .describe('`waiting` as long as the step waits; `failed` also of one that ended with its execution.'),
    input: json.describe(`What the node was given; null when it was skipped. ${orMarker}`),
    output: jsonObject.nullable().describe(`Its ports and their values. ${orMarker}`),
    error: z.string().nullable(),
    error_code: z.string().nullable(),
    metadata: jsonObject,
    duration_ms: z.number(),
    timestamp,
  }),
  { description: 'One attempt of one node.' },
);
type ExecutionLogBody = z.infer<typeof executionLog>;

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
  z.object({ execution_id: z.uuidv7(), status: z.enum(executionStatuses) }),
  {
    description: 'The execution that was started.',
    example: { execution_id: executionExample.execution_id, status: 'completed' },
  },
);

/** An execution as lists show it. */
export function presentExecution(run: Execution): ExecutionBody {
  return {
    execution_id: run.id,
    workflow_slug: run.workflowSlug,
    status: run.status,
    error_message: run.failure?.message ?? null,
    trigger_node_id: run.triggerNodeId,
    workflow_version: run.workflowVersion,
    parent_execution_id: run.parentExecutionId,
    replay_of: run.replayOf,
    started_at: optionalMoment(run.startedAt),
    completed_at: optionalMoment(run.completedAt),
    total_tokens: run.usage.inputTokens + run.usage.outputTokens,
    total_cost_usd: run.usage.costUsd,
    llm_calls: run.usage.calls,
  };
}

/** What a detail shows beside the execution itself. */
export interface ExecutionHistory {
  readonly payload: Json;
  readonly finalOutput: Json;
  readonly journal: readonly JournalEntry[];
  /** What of it is damaged. */
  readonly unreadable: readonly (keyof typeof unreadableFields)[];
  /** What each step was given, by its place in the journal. */
  readonly inputs: ReadonlyMap<number, Json>;
  readonly waits: readonly ShownWait[];
  /** The id of the one log entry to show, whole; undefined for all, with values as far as they fit. */
  readonly log: number | undefined;
}

/** The fields that come from each stored part. */
const unreadableFields = {
  trigger: ['trigger_payload'],
  journal: ['final_output', 'logs'],
} as const;

/** An open wait, with its address for those who may answer it. */
export interface ShownWait extends PauseKey {
  readonly pause: Pause;
  readonly callbackUrl: string | null;
}

/** An execution with its logs: one for each attempt and each skipped node. */
export function presentExecutionDetail(run: Execution, history: ExecutionHistory): ExecutionDetailBody {
  const logs = presentLogs(history);
  return {
    ...presentExecution(run),
    trigger_payload: history.payload,
    final_output: history.finalOutput,
    waits: history.waits.map(presentWait),
    error_handler: presentHandling(history.journal.at(-1)?.fact),
    logs: history.log === undefined ? fitLogValues(logs) : logs.filter(({ id }) => id === history.log),
    unreadable: history.unreadable.flatMap((part) => unreadableFields[part]),
  };
}

function presentLogs({ journal, inputs, waits }: ExecutionHistory): ExecutionLogBody[] {
  const ends = endsOf(journal);
  const numbers = attemptNumbers(journal);
  const agreed = agreements(journal);
  return journal.flatMap((entry) => {
    const fact = logged(entry, ends);
    if (fact === null) return [];
    const { seq } = entry;
    const metadata = { ...agreedBy(agreed.get(seq)), ...metadataOf(fact) };
    const attempt = attemptOf(fact, numbers.addedAt(seq));
    const log = { ...presentLog(seq, fact), attempt, input: inputs.get(seq) ?? null, metadata };
    return [fact.kind === 'step_paused' ? { ...log, output: addressOf(fact, waits) } : log];
  });
}

/** What a log entry tells of. Of what only begins or is answered there is none: how it ended shows. */
function logged({ seq, fact }: JournalEntry, ends: ReadonlyMap<number, RunFinished | null>): StepFact | null {
  if (!isBeginning(fact)) return isStep(fact) ? fact : null;
  const end = ends.get(seq);
  if (end === null && fact.kind === 'step_paused') return fact;
  if (end?.failure == null) return null;
  const { nodeId, frame, attempt, at: startedAt } = fact;
  const failure = stoppedBecause(end.failure);
  return { kind: 'step_stopped', nodeId, frame, attempt, startedAt, at: end.at, failure };
}

/** Where a step that waits for a callback is called, for those who may know. */
function addressOf({ frame, nodeId, stage }: PauseKey, waits: readonly ShownWait[]): JsonObject | null {
  const url = waits.find((wait) => wait.frame === frame && wait.nodeId === nodeId && wait.stage === stage)?.callbackUrl;
  return typeof url === 'string' ? { callback_url: url } : null;
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

function presentHandling(end: JournalEntry['fact'] | undefined): ExecutionDetailBody['error_handler'] {
  const handling = end?.kind === 'run_finished' ? end.errorHandler : undefined;
  if (handling === undefined) return null;
  return 'executionId' in handling
    ? { execution_id: handling.executionId, detail: null }
    : { execution_id: null, detail: handling.skipped };
}

type StepFact = Extract<Fact, { kind: keyof typeof logStatuses }>;

/** Facts of a step that goes on. */
type Beginning = Extract<Fact, { kind: 'step_paused' | 'step_started' | 'loop_started' }>;

function isBeginning(fact: JournalEntry['fact']): fact is Beginning {
  const { kind } = fact;
  return kind === 'step_paused' || kind === 'step_started' || kind === 'loop_started';
}

/** By the places of beginnings that have no end of their own: the end of the run that was theirs, or null before it. */
function endsOf(journal: readonly JournalEntry[]): ReadonlyMap<number, RunFinished | null> {
  const ends = new Map<number, RunFinished | null>();
  const begun = new Map<string, number>();
  for (const { seq, fact } of journal) {
    if (fact.kind === 'run_retried') continue;
    if (fact.kind === 'run_finished') {
      for (const beginning of begun.values()) ends.set(beginning, fact);
      begun.clear();
      continue;
    }
    const key = JSON.stringify([fact.frame, fact.nodeId]);
    if (isBeginning(fact)) begun.set(key, seq);
    else begun.delete(key);
  }
  for (const beginning of begun.values()) ends.set(beginning, null);
  return ends;
}

const logStatuses = {
  step_succeeded: 'success',
  step_failed: 'failed',
  step_stopped: 'failed',
  step_skipped: 'skipped',
  step_paused: 'waiting',
} as const;

function isStep(fact: JournalEntry['fact']): fact is StepFact {
  return Object.hasOwn(logStatuses, fact.kind);
}

function presentLog(id: number, fact: StepFact): Omit<ExecutionLogBody, 'attempt' | 'input' | 'metadata'> {
  return {
    id,
    node_id: fact.nodeId,
    frame: fact.frame,
    status: logStatuses[fact.kind],
    output: fact.kind === 'step_succeeded' ? fact.outputs : null,
    error: 'failure' in fact ? fact.failure.message : null,
    error_code: 'failure' in fact ? fact.failure.code : null,
    duration_ms: durationOf(fact),
    timestamp: formatInstant(fact.at),
  };
}

/** 0 where there was none: of a step that was skipped, or that waits before its first. */
function attemptOf(fact: StepFact, added: number): number {
  return fact.kind === 'step_skipped' || fact.attempt === 0 ? 0 : fact.attempt + added;
}

function agreedBy(who: string | undefined): JsonObject {
  return who === undefined ? {} : { answered_by: who };
}

function durationOf(fact: StepFact): number {
  if (fact.kind === 'step_stopped') return fact.at - fact.startedAt;
  return 'durationMs' in fact ? fact.durationMs : 0;
}

function metadataOf(fact: StepFact): ExecutionLogBody['metadata'] {
  if (fact.kind === 'step_succeeded') return fact.metadata ?? {};
  if (fact.kind === 'step_paused') return metadataOfPause(fact.pause);
  if (fact.kind !== 'step_failed') return {};
  return { ...fact.metadata, ...(fact.retryAt !== null && { retry_at: formatInstant(fact.retryAt) }) };
}

function metadataOfPause({ kind, until }: Pause): ExecutionLogBody['metadata'] {
  return { waits_for: kind, ...(until !== null && { until: formatInstant(until) }) };
}

function optionalMoment(at: Instant | null): string | null {
  return at === null ? null : formatInstant(at);
}
