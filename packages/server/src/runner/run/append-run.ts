import { type Fact, type Json, keptChatText, type RunFinished } from '@millrace/core';
import type { Append, ClaimedRun } from '../../store/executions.ts';
import type { HandlerStart, RunnerPorts } from '../ports.ts';
import { isStoreFailure } from './fatal-error.ts';

type AppendPorts = Pick<RunnerPorts, 'store' | 'errorHandler' | 'log'>;

/**
 * Appends facts to a run's journal; where they end it as failed, its error handler starts in the same transaction, and
 * where they answer the chat that started it, the chat has its answer in it.
 */
export function appendRun(ports: AppendPorts, run: ClaimedRun, given: Append): Promise<'stored' | 'parked' | 'lost'> {
  const said = run.trigger.sessionId === undefined ? undefined : answerIn(given.facts);
  const append = said === undefined ? given : { ...given, chatAnswer: keptChatText(said) };
  const end = append.facts.at(-1);
  if (end?.kind !== 'run_finished' || end.status !== 'failed') return ports.store.executions.append(append);
  return handlerOf(ports, run, end).then((handler) => {
    if (handler === null) return ports.store.executions.append(append);
    const facts = append.facts.with(-1, { ...end, errorHandler: handler.handling });
    const starts = [...(append.starts ?? []), ...(handler.start === null ? [] : [handler.start])];
    return ports.store.executions.append({ ...append, facts, starts });
  });
}

/** What facts answer to whoever waits: the first respond node's words, which no end takes back, or else the run's output. */
function answerIn(facts: readonly Fact[]): Json | undefined {
  for (const fact of facts) {
    if (fact.kind === 'step_succeeded' && fact.respond !== undefined) return fact.respond.body;
  }
  const end = facts.at(-1);
  return end?.kind === 'run_finished' && end.status === 'completed' ? end.output : undefined;
}

/** The error handler's start. A run that failed must end, so a handler that cannot be read is noted as skipped. */
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
