import { answerOf, type Schemas } from '@millrace/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';
import type { ExecutionDetail, ExecutionLog } from './executions.ts';

/** An open question of an execution to a person. */
export interface Question extends Readonly<Schemas['OpenQuestion']> {
  readonly executionId: string;
  readonly workflow: string;
  /** The log entry of the step that waits; null if the log does not have it. */
  readonly log: ExecutionLog | null;
}

/** The most executions whose questions are read at once: each needs a request. */
const maxExecutions = 50;
/** No event reports the questions of all workflows. */
const everyMs = 15_000;

/** The number of executions that wait for a person. */
export const waitingCountQuery = queryOptions({
  queryKey: ['questions', 'count'],
  queryFn: async () => (await interrupted(1)).total,
  refetchInterval: everyMs,
});

/** The open questions of the newest executions that wait for a person, and the number of those executions. */
export const questionsQuery = queryOptions({
  queryKey: ['questions', 'open'],
  queryFn: async (): Promise<{ readonly questions: readonly Question[]; readonly executions: number }> => {
    const { items, total } = await interrupted(maxExecutions);
    const questions = await Promise.all(items.map(({ execution_id: id }) => questionsOf(id)));
    return { questions: questions.flat(), executions: total };
  },
  refetchInterval: everyMs,
});

function interrupted(limit: number) {
  return answerOf(client.GET('/api/v1/executions/', { params: { query: { status: 'interrupted', limit } } }));
}

async function questionsOf(id: string): Promise<readonly Question[]> {
  const params = { path: { execution_id: id } };
  const detail = await answerOf(client.GET('/api/v1/executions/{execution_id}/', { params }));
  return questionsIn(detail);
}

/** The open questions of an execution. */
export function questionsIn({
  execution_id: executionId,
  workflow_slug: workflow,
  open_questions: questions,
  logs,
}: ExecutionDetail): readonly Question[] {
  return questions.map((question) => {
    const { node_id: node, frame } = question;
    const log = logs.findLast((entry) => entry.node_id === node && entry.frame === frame) ?? null;
    return { ...question, executionId, workflow, log };
  });
}

/** How often the logs are read again until they contain the answer, which the run records in a moment. */
const answerEveryMs = 2000;

/** What the logs of its execution say about a question that is closed. */
export function closedQuestionQuery<Found>(question: Question, find: (logs: readonly ExecutionLog[]) => Found | null) {
  const { executionId, node_id: node, frame, since } = question;
  return queryOptions({
    queryKey: ['questions', 'closed', executionId, node, frame, since],
    queryFn: async (): Promise<Found | null> => {
      const params = { path: { execution_id: executionId } };
      return find((await answerOf(client.GET('/api/v1/executions/{execution_id}/', { params }))).logs);
    },
    refetchInterval: ({ state }) => (state.data === null ? answerEveryMs : false),
  });
}

/** Answers a question. @throws ApiError with status 409 if it was answered already or is no longer open */
export async function answerQuestion(question: Question, confirmed: boolean, response: string): Promise<void> {
  const { executionId, node_id, frame } = question;
  const body = { node_id, frame, confirmed, response };
  const params = { path: { execution_id: executionId } };
  await answerOf(client.POST('/api/v1/executions/{execution_id}/resume/', { params, body }));
}
