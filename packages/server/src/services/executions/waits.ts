import { type Catalogue, type Execution, formatInstant, isEnded, type Json, Problem, type User } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { Turns } from '../../ground/turns.ts';
import type { ExecutionDetail } from '../../store/executions.ts';
import type { Store } from '../../store/store.ts';
import type { GivenAnswer, OpenWait } from '../../store/waits.ts';
import { mayWrite, standingOf } from '../access/access.ts';
import { isStepToCome, type LinkedQuestion, linkedQuestion, type QuestionState } from './linked-question.ts';
import type { LinkedStep, WaitLinks } from './wait-links.ts';

/** A person's answer to a step that waits for it. */
export interface Decision {
  readonly nodeId: string;
  readonly confirmed: boolean;
  readonly response: string;
  /** The iteration of a loop; null if only one waits. */
  readonly frame: string | null;
}

/** An open wait, with its address for users who may answer it. */
export interface ShownWait extends OpenWait {
  readonly callbackUrl: string | null;
}

/** Answers the waits of runs. */
export interface Waits {
  /** The open waits of a run, as this user may see them. */
  of(user: User, detail: ExecutionDetail): Promise<readonly ShownWait[]>;
  /** @throws Problem `conflict` if no step waits for it, or if several frames do and none is named */
  decide(user: User, execution: Execution, decision: Decision): Promise<Execution>;
  /**
   * Answers a callback with the request body, which is read once the token is valid.
   * @throws Problem `not_found`, `conflict` if it was used
   */
  call(token: string, body: () => Json | Promise<Json>): Promise<{ readonly executionId: string }>;
  /** @throws Problem `not_found` for a foreign link */
  question(token: string): Promise<LinkedQuestion>;
  /**
   * Gives the answer of the link, and returns the question as it was before.
   * @throws Problem `not_found`; `conflict` if the question is answered already, or the link has expired
   */
  decideByLink(token: string, response: string): Promise<LinkedQuestion>;
}

interface WaitsPorts {
  readonly store: Pick<Store, 'waits' | 'executions' | 'workflows' | 'collaborators' | 'graphs'>;
  readonly catalogue: Catalogue;
  readonly links: WaitLinks;
  readonly clock: Clock;
  /** A long journal is folded in several turns. */
  readonly turns: Pick<Turns, 'finish'>;
}

const stage = 'step';

export function createWaits(ports: WaitsPorts): Waits {
  const { store, links } = ports;
  return {
    async of(user, detail) {
      if (isEnded(detail.status)) return [];
      const open = await store.waits.open(detail.id);
      const mayAct = open.length > 0 && (await mayAnswer(ports, user, detail));
      return open.map((wait) => {
        const isShown = mayAct && wait.pause.kind === 'callback';
        return { ...wait, callbackUrl: isShown ? links.callbackUrl({ ...wait, executionId: detail.id }) : null };
      });
    },
    async decide(user, execution, decision) {
      const { frame, nodeId, stage: asked } = askedOf(await store.waits.open(execution.id), decision);
      const { confirmed, response } = decision;
      const answer = { kind: 'decision', confirmed, response, by: user.username } as const;
      const key = { executionId: execution.id, frame, nodeId, stage: asked };
      const outcome = await store.waits.answer({ ...key, answer });
      if (outcome === 'closed') throw notAsked(nodeId);
      return (await store.executions.byId(execution.id)) ?? execution;
    },
    async call(token, body) {
      const words = links.read(token);
      if (words?.kind !== 'callback') throw unknownLink();
      const { executionId, frame, nodeId } = words;
      // The key that signed it may be gone: then the wait's stored hash verifies the token.
      if (!words.isSigned && !(await isTokenOf(ports, words, token))) throw unknownLink();
      const key = { executionId, frame, nodeId, stage } as const;
      const answer = { kind: 'call', body: await body() } as const;
      const outcome = words.isSigned ? answerEarly(ports, { ...key, answer }) : store.waits.answer({ ...key, answer });
      if ((await outcome) === 'answered') return { executionId };
      throw new Problem('conflict', 'This callback was already used, or no step waits for it any more.');
    },
    question: async (token) => (await readAnswerLink(ports, token)).question,
    async decideByLink(token, response) {
      const { link, question } = await readAnswerLink(ports, token);
      if (question.state.kind !== 'open') throw new Problem('conflict', whyClosed(question.state));
      const { executionId, frame, nodeId, confirmed } = link;
      const answer = { kind: 'decision', confirmed, response, by: null } as const;
      const outcome = await answerEarly(ports, { executionId, frame, nodeId, stage, answer });
      if (outcome === 'closed') throw new Problem('conflict', whyClosed({ kind: 'answered_now' }));
      return question;
    },
  };
}

async function readAnswerLink(ports: WaitsPorts, token: string) {
  const link = ports.links.read(token);
  const question = link?.kind === 'answer' ? await linkedQuestion(ports, link) : null;
  if (link?.kind !== 'answer' || question === null) throw unknownLink();
  return { link, question };
}

/** Why a link no longer answers its question. */
function whyClosed(state: Exclude<QuestionState, { kind: 'open' }>): string {
  switch (state.kind) {
    case 'answered':
      return `This question was already answered: ${answerWord(state)} at ${formatInstant(state.at)} UTC.`;
    case 'answered_now':
      return 'This question was already answered.';
    case 'timed_out':
      return `This link has expired. Nobody answered by ${formatInstant(state.at)} UTC, so the default answer counts: ${answerWord(state)}.`;
    case 'expired':
      return 'This link has expired.';
    default:
      return 'This question is no longer open.';
  }
}

function answerWord({ confirmed }: { readonly confirmed: boolean }): string {
  return confirmed ? 'approved' : 'declined';
}

function unknownLink(): Problem {
  return new Problem('not_found', 'There is nothing at this address.');
}

function notAsked(nodeId: string): Problem {
  return new Problem('conflict', `Node '${nodeId}' does not wait for a confirmation.`);
}

/** The only question that a decision can answer. */
function askedOf(open: readonly OpenWait[], { nodeId, frame }: Decision): OpenWait {
  const asked = open.filter((wait) => wait.nodeId === nodeId && wait.pause.kind === 'approval');
  const meant = frame === null ? asked : asked.filter((wait) => wait.frame === frame);
  const [only, another] = meant;
  if (only === undefined) throw notAsked(nodeId);
  if (another === undefined) return only;
  const frames = meant.slice(0, 10).map((wait) => `'${wait.frame}'`);
  const names = `${frames.join(', ')}${meant.length > frames.length ? ', …' : ''}`;
  throw new Problem(
    'conflict',
    `Node '${nodeId}' waits in ${meant.length} frames: name one of them as 'frame' (${names}).`,
  );
}

async function isTokenOf({ store, links }: WaitsPorts, step: LinkedStep, token: string): Promise<boolean> {
  const { executionId, frame, nodeId } = step;
  const hash = await store.waits.tokenHash({ executionId, frame, nodeId, stage });
  // Both are hashes of secrets, so the time of the comparison reveals nothing about the secrets.
  return hash !== null && hash === links.hashOf(token);
}

/** Answers a step that waits, or that the run has not reached yet. */
async function answerEarly(
  ports: WaitsPorts,
  answer: GivenAnswer & { readonly executionId: string },
): Promise<'answered' | 'closed'> {
  const { waits } = ports.store;
  const outcome = await waits.answer(answer);
  if (outcome === 'answered' || !(await isStepToCome(ports, answer))) return outcome;
  return waits.answer({ ...answer, early: true });
}

async function mayAnswer(
  { store }: WaitsPorts,
  user: User,
  { ownerId, workflowId }: ExecutionDetail,
): Promise<boolean> {
  if (ownerId === user.id) return true;
  const workflow = await store.workflows.byId(workflowId);
  const standing = workflow === null ? null : await standingOf(store, user, workflow);
  return standing !== null && mayWrite(standing);
}
