import { answerOf, type Schemas } from '@millrace/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

export type Fact = Schemas['Fact'];

/** Whose facts: of a workflow, of all workflows of the user, or about one person. */
export type FactPlace =
  | { readonly scope: 'workflow'; readonly workflow_slug: string }
  | { readonly scope: 'global' }
  | { readonly scope: 'user'; readonly user_id: string };

const path = '/api/v1/memory/facts/';

/** Facts of a list: more are found by searching. */
const limit = 50;

/** The facts that have one of the words, the best first; without words the last changed first. */
export function factsQuery(place: FactPlace, words: string) {
  const q = words.trim();
  return queryOptions({
    queryKey: ['facts', place, q],
    queryFn: () =>
      answerOf(client.GET(path, { params: { query: { ...place, ...(q !== '' && { q }), limit, offset: 0 } } })),
    placeholderData: keepPreviousData,
  });
}

/** Stores a fact, or replaces the one with this key. @throws ApiError */
export function putFact(place: FactPlace, key: string, value: Schemas['Json']): Promise<Fact> {
  return answerOf(client.PUT(path, { params: { query: { ...place, key } }, body: { value } }));
}

/** @throws ApiError */
export async function removeFact(place: FactPlace, key: string): Promise<void> {
  await answerOf(client.DELETE(path, { params: { query: { ...place, key } } }));
}

/** Deletes all facts of a place. @throws ApiError */
export async function removeFacts(place: FactPlace): Promise<void> {
  await answerOf(client.DELETE(path, { params: { query: { ...place, all: 'true' } } }));
}
