import { type Fact, type Json, type RunFinished, storedChatText } from '@millrace/core';
import type { Append, ClaimedRun } from '../../store/executions.ts';
import type { HandlerStart, RunnerPorts } from '../ports.ts';
import { isStoreFailure } from './fatal-error.ts';
import { logFailure } from './run-log.ts';

type AppendPorts = Pick<RunnerPorts, 'store' | 'errorHandler' | 'log'>;

/**
 * Appends facts to a run's journal. If they end it as failed, its error handler starts in the same transaction, and the
 * failure is logged when it is stored. If they contain the answer to a chat message, that transaction stores the
 * answer.
 */
export async function appendRun(
  ports: AppendPorts,
  run: ClaimedRun,
  given: Append,
): Promise<'stored' | 'parked' | 'lost'> {
  const chatAnswerText = run.trigger.sessionId === undefined ? undefined : answerIn(given.facts);
  const append = chatAnswerText === undefined ? given : { ...given, ...chatAnswers(given, chatAnswerText) };
  const end = append.facts.at(-1);
  if (end?.kind !== 'run_finished' || end.status !== 'failed') return ports.store.executions.append(append);
  const outcome = await ports.store.executions.append(await withHandler(ports, run, append, end));
  if (outcome !== 'lost') logFailure(ports.log, run, end);
  return outcome;
}

/** A bot sends texts only: others, such as the result of a `send_message`, are for the history. */
function chatAnswers({ facts }: Append, answer: Json): Pick<Append, 'chatAnswer' | 'botAnswer'> {
  const chatAnswer = storedChatText(answer);
  const at = facts.at(-1)?.at;
  const isSent = typeof answer === 'string' && at !== undefined;
  return { chatAnswer, ...(isSent && { botAnswer: { text: chatAnswer, at } }) };
}

/** The end of a failed run, with the start of its error handler. */
async function withHandler(ports: AppendPorts, run: ClaimedRun, append: Append, end: RunFinished): Promise<Append> {
  const handler = await handlerOf(ports, run, end);
  if (handler === null) return append;
  const facts = append.facts.with(-1, { ...end, errorHandler: handler.handling });
  const starts = [...(append.starts ?? []), ...(handler.start === null ? [] : [handler.start])];
  return { ...append, facts, starts };
}

/**
 * The answer in these facts: of the first respond node, which a later failure does not change, or else the run's
 * output.
 */
function answerIn(facts: readonly Fact[]): Json | undefined {
  for (const fact of facts) {
    if (fact.kind === 'step_succeeded' && fact.respond !== undefined) return fact.respond.body;
  }
  const end = facts.at(-1);
  return end?.kind === 'run_finished' && end.status === 'completed' ? end.output : undefined;
}

/** The start of the error handler. A failed run must end, so a handler that cannot be read is recorded as skipped. */
async function handlerOf(ports: AppendPorts, run: ClaimedRun, end: RunFinished): Promise<HandlerStart | null> {
  try {
    return await ports.errorHandler(run, end);
  } catch (error) {
    if (isStoreFailure(error)) throw error;
    ports.log.error({ err: error, executionId: run.id }, 'an error handler could not be started');
    const skipped = "The error handler workflow could not be started. The service's log has the details.";
    return { handling: { skipped }, start: null };
  }
}
