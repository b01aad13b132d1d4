import type { Question } from '../api/questions.ts';

/** The call of a tool that a person is asked about. */
export interface AskedCall {
  readonly tool: string;
  readonly agent: string;
  readonly arguments: unknown;
}

/** The call of a tool that a question is about; null for any other question. */
export function askedCall({ log }: Pick<Question, 'log'>): AskedCall | null {
  if (log?.status !== 'waiting') return null;
  const { tool, agent } = log.metadata;
  return typeof tool === 'string' && typeof agent === 'string' ? { tool, agent, arguments: log.input } : null;
}
