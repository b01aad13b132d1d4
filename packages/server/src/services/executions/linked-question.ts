import {
  type Catalogue,
  foldEntries,
  type Instant,
  isEnded,
  isToCome,
  type QuestionEnd,
  questionIn,
  standingEntries,
} from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { Turns } from '../../ground/turns.ts';
import type { OwnedExecution } from '../../store/executions.ts';
import type { Store } from '../../store/store.ts';
import type { FoundWait } from '../../store/waits.ts';
import { planOfShownRun } from './run-plan.ts';
import type { LinkContent, LinkedStep } from './wait-links.ts';

/** A question as the page of a link shows it. */
export interface LinkedQuestion {
  /** The answer that the link gives. */
  readonly confirmed: boolean;
  /** The name of the workflow. */
  readonly workflow: string;
  /** Null if the run has not reached its step yet, or never will. */
  readonly prompt: string | null;
  readonly state: QuestionState;
  /** When this was read. */
  readonly now: Instant;
}

/** Whether a link can still answer its question. */
export type QuestionState =
  /** Until when the link works; null if its step has not paused yet. */
  | { readonly kind: 'open'; readonly until: Instant | null }
  | QuestionEnd
  /** Answered, and the run continues in a moment; or answered before its step paused. */
  | { readonly kind: 'answered_now' }
  | { readonly kind: 'expired' }
  /** The run ended, or will not ask the question. */
  | { readonly kind: 'over' };

type AnswerLink = Extract<LinkContent, { kind: 'answer' }>;

interface LinkedQuestionPorts extends ComingStepsPorts {
  readonly store: Pick<Store, 'executions' | 'graphs' | 'waits' | 'workflows'>;
  readonly clock: Clock;
}

/** The question of a link; null if its run was deleted. */
export async function linkedQuestion(ports: LinkedQuestionPorts, link: AnswerLink): Promise<LinkedQuestion | null> {
  const { store, clock } = ports;
  const { executionId, frame, nodeId, confirmed } = link;
  const run = await store.executions.byId(executionId);
  if (run === null) return null;
  const wait = await store.waits.find({ executionId, frame, nodeId, stage });
  const workflow = (await store.workflows.byId(run.workflowId))?.name ?? run.workflowSlug;
  const now = clock.now();
  const shown = (prompt: string | null, state: QuestionState): LinkedQuestion => {
    return { confirmed, workflow, prompt, state, now };
  };
  const asked = wait?.pause?.kind === 'approval' ? wait.pause.prompt : null;
  const isStillOpen = wait?.isOpen ?? (await isStepToCome(ports, link));
  const until = deadlineOf(link, wait);
  if (isStillOpen && now < until) {
    return shown(asked, { kind: 'open', until: Number.isFinite(until) ? until : null });
  }
  const past = questionIn((await store.executions.readable(executionId))?.journal ?? [], { frame, nodeId, stage });
  const prompt = asked ?? past?.prompt ?? null;
  if (past?.end) return shown(prompt, past.end);
  if (isStillOpen) return shown(prompt, { kind: 'expired' });
  return shown(prompt, { kind: wait?.isAnswered === true ? 'answered_now' : overOrExpired(run, now >= until) });
}

function overOrExpired({ status }: OwnedExecution, isLate: boolean): 'expired' | 'over' {
  return isLate && !isEnded(status) ? 'expired' : 'over';
}

const stage = 'step';

/**
 * Milliseconds for which a link can answer a question without a timeout: 30 days, so that an old forgotten mail cannot.
 */
const linkMs = 30 * 24 * 60 * 60 * 1000;

/** When a link stops working: infinite as long as its step has not paused. */
function deadlineOf({ until }: AnswerLink, wait: FoundWait | null): Instant {
  const asked = wait?.pausedAt ?? Number.POSITIVE_INFINITY;
  return until ?? wait?.pause?.until ?? asked + linkMs;
}

interface ComingStepsPorts {
  readonly store: Pick<Store, 'executions' | 'graphs' | 'waits'>;
  readonly catalogue: Catalogue;
  /** A long journal is folded in several turns. */
  readonly turns: Pick<Turns, 'finish'>;
}

/** True if a step of a run has not paused yet and still may; the journal shows which steps no longer can. */
export async function isStepToCome(ports: ComingStepsPorts, step: LinkedStep): Promise<boolean> {
  const { executionId, frame, nodeId } = step;
  const { waits, executions } = ports.store;
  if ((await waits.find({ executionId, frame, nodeId, stage })) !== null) return false;
  const run = await executions.detail(executionId);
  const plan = run === null || isEnded(run.status) ? null : await planOfShownRun(ports, run);
  if (run === null || plan === null) return false;
  return isToCome(await ports.turns.finish(foldEntries(plan, standingEntries(run.journal))), step);
}
