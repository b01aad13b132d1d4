import {
  formatInstant,
  type JsonObject,
  type LogEntry,
  type Pause,
  type PauseKey,
  type SentPrompt,
  shownMessage,
} from '@millrace/core';
import { z } from 'zod';
import { json, jsonObject } from '../base/json.ts';
import { named } from '../base/named.ts';
import { optionalMoment, timestamp } from '../base/timestamp.ts';

const orMarker =
  'If it is too large to be shown with all others: `{"truncated": true, "size": <characters>, "preview": "<the first 200>"}`.';

/** What a model was sent. */
const modelPrompt = named(
  'ModelPrompt',
  z.object({
    model: z.string(),
    system: z.string().describe('The instructions; empty for none.'),
    messages: z
      .array(jsonObject)
      .describe(
        'Objects with `role` and `content`; of an answer with the `tool_calls` of the model, of a result with `tool_call_id` and, for an error, `is_error`. The turns of a memory come first, as far as they are still stored.',
      ),
    tools: z.array(z.object({ name: z.string(), description: z.string(), parameters: jsonObject })),
    tool_choice: z.string().describe('`auto`, `required`, `none`, or the name of a tool.'),
  }),
  { description: 'What a model was sent.' },
);

/** One attempt of one node. */
export const executionLog = named(
  'ExecutionLog',
  z.object({
    id: z.int().describe('The position in the journal.'),
    node_id: z.string(),
    frame: z
      .string()
      .describe(
        'Empty for the execution itself; `loop[3]` for an iteration of a loop, `agent[3]` for a call of an agent.',
      ),
    attempt: z
      .int()
      .describe(
        'Starts at 1 and continues after a retry of the execution; 0 for a skipped node and for a question before the first attempt.',
      ),
    status: z
      .enum(['success', 'failed', 'skipped', 'waiting'])
      .describe('`waiting` while the step waits; `failed` also if the step ended because its execution ended.'),
    input: json.describe(
      `The input of the node; null if it was skipped. Of a call by an agent: the arguments of the tool, or what is new in the prompt of the model. ${orMarker}`,
    ),
    output: jsonObject.nullable().describe(`The output ports and their values. ${orMarker}`),
    error: z.string().nullable(),
    error_code: z.string().nullable(),
    metadata: jsonObject,
    duration_ms: z.number().describe('How long the attempt ran, in milliseconds.'),
    queued_at: timestamp
      .nullable()
      .describe('When the attempt was ready to start; null if the version of the execution cannot be read.'),
    started_at: timestamp
      .nullable()
      .describe('When the attempt started; null for a skipped node and before the start.'),
    ended_at: timestamp.nullable().describe('When the attempt ended, after all its waits; null while it waits.'),
    timestamp,
    prompt: modelPrompt
      .optional()
      .describe('What the model was sent. Only with the parameter `log`, and only for a call that an agent made.'),
  }),
  { description: 'One attempt of one node.' },
);
type ExecutionLogBody = z.infer<typeof executionLog>;

/** An open wait, with its URL for callers who may answer it. */
export interface ShownWait extends PauseKey {
  readonly pause: Pause;
  readonly pausedAt: number | null;
  readonly callbackUrl: string | null;
}

/** The log of an execution in its JSON form. */
export function presentLogs(log: readonly LogEntry[], waits: readonly ShownWait[]): ExecutionLogBody[] {
  return log.map((entry) => ({
    id: entry.seq,
    node_id: entry.nodeId,
    frame: entry.frame,
    attempt: entry.attempt,
    status: entry.status,
    input: entry.input,
    output: entry.waitsFor === null ? entry.outputs : addressOf(entry, waits),
    error: entry.failure?.message ?? null,
    error_code: entry.failure?.code ?? null,
    metadata: metadataOf(entry),
    duration_ms: entry.durationMs,
    queued_at: optionalMoment(entry.queuedAt),
    started_at: optionalMoment(entry.startedAt),
    ended_at: optionalMoment(entry.endedAt),
    timestamp: formatInstant(entry.at),
    ...(entry.prompt !== undefined && { prompt: presentPrompt(entry.prompt) }),
  }));
}

function presentPrompt({ model, prompt: { system, messages, tools } }: SentPrompt): z.infer<typeof modelPrompt> {
  const { list = [], choice = 'none' } = tools ?? {};
  return {
    model,
    system,
    messages: messages.map(shownMessage),
    tools: list.map(({ name, description, parameters }) => ({ name, description, parameters })),
    tool_choice: typeof choice === 'string' ? choice : choice.name,
  };
}

/** The URL of a step that waits for a callback, for callers who may see it. */
function addressOf({ frame, nodeId, waitsFor }: LogEntry, waits: readonly ShownWait[]): JsonObject | null {
  const url = waits.find(
    (wait) => wait.frame === frame && wait.nodeId === nodeId && wait.stage === waitsFor?.stage,
  )?.callbackUrl;
  return typeof url === 'string' ? { callback_url: url } : null;
}

function metadataOf({ answeredBy, metadata, retryAt, waitsFor }: LogEntry): JsonObject {
  return {
    ...(answeredBy !== null && { answered_by: answeredBy }),
    ...metadata,
    ...(retryAt !== null && { retry_at: formatInstant(retryAt) }),
    ...(waitsFor !== null && metadataOfPause(waitsFor.pause)),
  };
}

function metadataOfPause({ kind, until }: Pause): JsonObject {
  return { waits_for: kind, ...(until !== null && { until: formatInstant(until) }) };
}
