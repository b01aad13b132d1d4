import type { LiveMessage } from '@millrace/client';
import type { ExecutionLog } from '../api/executions.ts';

/** The statuses of a step while it is watched. */
type Status = 'running' | 'success' | 'failed' | 'skipped' | 'retrying' | 'waiting';

/** The newest attempt of a node in a frame, as events and logs have reported it. */
export interface StepRun {
  readonly status: Status;
  readonly attempt: number;
  /** When it began, in milliseconds since 1970; null if that is not known. */
  readonly since: number | null;
  readonly durationMs: number | null;
  readonly error: string | null;
  /** The number of items in its output, if that is a list. */
  readonly items: number | null;
  /** Of its model calls. */
  readonly tokens: number;
  readonly costUsd: number;
  /** The last characters that its model has written, while it writes. */
  readonly text: string;
  /** The length of the whole text so far. */
  readonly textLength: number;
  /** The call of the model that writes it, for an agent with tools. */
  readonly call: number | null;
  /** Of a loop: the number of its iterations. */
  readonly total: number | null;
  readonly isPinned: boolean;
}

const unknown: StepRun = {
  status: 'running',
  attempt: 0,
  since: null,
  durationMs: null,
  error: null,
  items: null,
  tokens: 0,
  costUsd: 0,
  text: '',
  textLength: 0,
  call: null,
  total: null,
  isPinned: false,
};

/** A card has room for two lines. */
const maxText = 120;

/** A step after a `node_status` event. */
export function afterStatus(before: StepRun | undefined, { data, timestamp }: LiveMessage): StepRun {
  const status = data.status as Status;
  const attempt = typeof data.attempt === 'number' ? data.attempt : 1;
  const sameAttempt = before?.attempt === attempt ? before : undefined;
  return {
    ...unknown,
    status,
    attempt,
    since: sameAttempt?.since ?? (status === 'running' ? timestamp * 1000 : null),
    durationMs: typeof data.duration_ms === 'number' ? data.duration_ms : null,
    error: typeof data.error === 'string' ? data.error : null,
    total: typeof data.total === 'number' ? data.total : (before?.total ?? null),
    isPinned: data.pinned === true,
    ...(status === 'running' && sameAttempt !== undefined && textOf(sameAttempt)),
    ...measuresOf(data.output),
  };
}

function textOf({ text, textLength, call }: StepRun): Pick<StepRun, 'text' | 'textLength' | 'call'> {
  return { text, textLength, call };
}

interface TokenData {
  readonly text: string;
  readonly offset: number;
  readonly attempt: number;
  readonly call?: number;
}

/** A step after a part of its model's text. If parts before it were lost, the text begins with it. */
export function afterToken(before: StepRun | undefined, { data, timestamp }: LiveMessage): StepRun {
  const { text, offset, attempt, call = null } = data as unknown as TokenData;
  const current = before?.attempt === attempt ? before : { ...unknown, attempt, since: timestamp * 1000 };
  const known = current.call === call ? current : { ...current, call, text: '', textLength: 0 };
  const isNext = known.textLength === offset;
  // A late part of an attempt that has ended changes nothing.
  if (known.status !== 'running' || offset < known.textLength) return current;
  const all = isNext ? known.text + text : `…${text}`;
  return { ...known, text: all.slice(-maxText), textLength: offset + text.length };
}

/**
 * A step after its stored log was read: events may have been lost, or may be newer than the log.
 * @param isOver whether the execution has ended: then no attempt follows one that failed
 */
export function afterLog(before: StepRun | undefined, log: ExecutionLog, isOver: boolean): StepRun {
  const isNewer = before === undefined || log.attempt > before.attempt;
  const isEnd = before?.attempt === log.attempt && isOpen(before.status) && (isOver || before.status !== 'retrying');
  if (!isNewer && !isEnd) return before;
  return {
    ...unknown,
    status: log.status,
    attempt: log.attempt,
    durationMs: log.duration_ms,
    error: log.error,
    total: before?.total ?? null,
    isPinned: log.metadata.pinned === true,
    ...measuresOf(log.output),
  };
}

function isOpen(status: Status): boolean {
  return status === 'running' || status === 'retrying' || status === 'waiting';
}

/** Whether a step has ended, so that its iteration goes on. */
export function hasEnded({ status }: StepRun): boolean {
  return !isOpen(status);
}

/** What the outputs of a step say about their size and their cost. */
function measuresOf(output: unknown): Partial<StepRun> {
  if (typeof output !== 'object' || output === null) return {};
  const { usage } = output as { usage?: { total_tokens?: unknown; cost_usd?: unknown } };
  const [first] = Object.values(output);
  return {
    items: Array.isArray(first) ? first.length : null,
    tokens: typeof usage?.total_tokens === 'number' ? usage.total_tokens : 0,
    costUsd: typeof usage?.cost_usd === 'number' ? usage.cost_usd : 0,
  };
}
