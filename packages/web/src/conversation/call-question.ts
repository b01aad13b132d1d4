import type { ExecutionDetail } from '../api/executions.ts';
import { type Question, questionsIn } from '../api/questions.ts';
import type { CallStep } from './conversation.ts';

/** The open question about a call, if it waits for a person. */
export function questionOf(execution: ExecutionDetail, step: CallStep | null): Question | null {
  if (step?.log?.status !== 'waiting') return null;
  const { frame, nodeId } = step;
  return questionsIn(execution).find((one) => one.frame === frame && one.node_id === nodeId) ?? null;
}
