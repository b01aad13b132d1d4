import type { ExecutionLog } from '../api/executions.ts';

/** The answer that closed a question. */
export interface EarlierAnswer {
  readonly confirmed: boolean;
  /** The user's name, or `a signed link`; null if nobody answered in time and the default answer was used. */
  readonly by: string | null;
  readonly at: string;
}

interface Asked {
  readonly node_id: string;
  readonly frame: string;
}

/** The answer in the logs of an execution; null if they contain none, for example because the execution was cancelled. */
export function earlierAnswer(logs: readonly ExecutionLog[], { node_id: node, frame }: Asked): EarlierAnswer | null {
  const log = logs.findLast((entry) => entry.node_id === node && entry.frame === frame && isAnswer(entry.metadata));
  if (log === undefined) return null;
  const { answered_by: by } = log.metadata;
  const output = log.output as { readonly confirmed?: unknown } | null;
  return {
    // The log of a node that asked before it ran says only who agreed.
    confirmed: output?.confirmed !== false,
    by: typeof by === 'string' ? by : null,
    at: log.ended_at ?? log.timestamp,
  };
}

function isAnswer(metadata: Readonly<Record<string, unknown>>): boolean {
  return 'answered_by' in metadata || metadata.timed_out === true;
}
