import { answerOf, type Schemas } from '@millrace/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

export type Person = Schemas['Person'];

const path = '/api/v1/memory/people/';

/** People of a list: others are found by what their names begin with. */
const limit = 10;

/** The newest people that the workflows of the user know, or those whose name or address begins with a text. */
export function peopleQuery(text: string) {
  const q = text.trim().slice(0, 200);
  return queryOptions({
    queryKey: ['people', q],
    queryFn: () => answerOf(client.GET(path, { params: { query: { ...(q !== '' && { q }), limit, offset: 0 } } })),
    placeholderData: keepPreviousData,
  });
}

/** Deletes a person and all facts about them. @throws ApiError */
export async function forgetPerson(userId: string): Promise<void> {
  await answerOf(client.DELETE(path, { params: { query: { user_id: userId } } }));
}
