import { answerOf, type Schemas } from '@millrace/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** A message and its answer. */
export type ChatTurn = Schemas['ChatTurn'];

/** The newest turns that the page shows and finds conversations in; older ones stay in the history. */
const shownTurns = 200;

/** The user's conversations with a workflow, newest turn first. */
export function chatHistoryQuery(slug: string) {
  return queryOptions({
    queryKey: ['chats', slug],
    queryFn: () =>
      answerOf(
        client.GET('/api/v1/workflows/{slug}/chat/history/', {
          params: { path: { slug }, query: { limit: shownTurns, offset: 0 } },
        }),
      ),
  });
}

/** Sends a message. Resolves with the answer, or after 30 seconds without one. */
export function sendMessage(slug: string, text: string, sessionId: string): Promise<Schemas['ChatAnswer']> {
  return answerOf(
    client.POST('/api/v1/workflows/{slug}/chat/', {
      params: { path: { slug } },
      body: { text, session_id: sessionId },
    }),
  );
}

/** Deletes the user's turns of a conversation: an agent no longer remembers them. */
export async function forgetConversation(slug: string, sessionId: string): Promise<void> {
  const params = { path: { slug }, query: { session_id: sessionId } };
  await answerOf(client.DELETE('/api/v1/workflows/{slug}/chat/history/', { params }));
}
