import type { PauseKey } from '../../component/pause.ts';
import type { Instant } from '../../time.ts';
import type { Fact, JournalEntry } from './history.ts';
import { standingEntries } from './retried-journal.ts';

/** How a question to a person ended: by an answer, or at its time limit with the default answer. */
export interface QuestionEnd {
  readonly kind: 'answered' | 'timed_out';
  readonly confirmed: boolean;
  readonly at: Instant;
}

/** A question that a run asked. */
export interface AskedQuestion {
  readonly prompt: string;
  /** Null as long as the run has recorded no answer. */
  readonly end: QuestionEnd | null;
}

/** The last question of a step in a journal; null if there is none, or a retry revoked it. */
export function questionIn(journal: readonly JournalEntry[], key: PauseKey): AskedQuestion | null {
  let asked: { readonly prompt: string; readonly fallback: boolean } | null = null;
  let end: QuestionEnd | null = null;
  for (const { fact } of standingEntries(journal)) {
    if (!isAbout(fact, key)) continue;
    if (fact.kind === 'step_paused') {
      asked = fact.pause.kind === 'approval' ? fact.pause : null;
      end = null;
    } else if (asked !== null) end = endOf(fact, asked.fallback);
  }
  return asked === null ? null : { prompt: asked.prompt, end };
}

type PauseFact = Extract<Fact, { kind: 'step_paused' | 'step_resumed' }>;

function isAbout(fact: Fact, { frame, nodeId, stage }: PauseKey): fact is PauseFact {
  if (fact.kind !== 'step_paused' && fact.kind !== 'step_resumed') return false;
  return fact.nodeId === nodeId && fact.frame === frame && fact.stage === stage;
}

function endOf({ at, answer }: Extract<Fact, { kind: 'step_resumed' }>, fallback: boolean): QuestionEnd | null {
  if (answer.kind === 'decision') return { kind: 'answered', confirmed: answer.confirmed, at };
  return answer.kind === 'time' ? { kind: 'timed_out', confirmed: fallback, at } : null;
}
