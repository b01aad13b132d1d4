import { answerOf, type Schemas } from '@millrace/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

export type Variable = Schemas['Variable'];

/** Whose variables: of the workflow with this slug, or, with null, of the instance. */
export type VariablePlace = string | null;

/** The service stores at most this many for each place. */
const most = { limit: 1000, offset: 0 } as const;

/** The variables of a workflow or of the instance. */
export function variablesQuery(place: VariablePlace) {
  return queryOptions({
    queryKey: ['variables', place],
    queryFn: () => listed(place),
  });
}

async function listed(place: VariablePlace): Promise<readonly Variable[]> {
  const { items } = await answerOf(
    place === null
      ? client.GET('/api/v1/variables/', { params: { query: most } })
      : client.GET('/api/v1/workflows/{slug}/variables/', { params: { path: { slug: place }, query: most } }),
  );
  return items;
}

/** Reads a variable: only lists contain them. @throws Error if it was deleted or renamed */
export async function readVariable(place: VariablePlace, name: string): Promise<Variable> {
  const items = await listed(place);
  const found = items.find((variable) => variable.name === name);
  if (found === undefined) throw new Error(`The variable ${name} was deleted or renamed meanwhile. Nothing was saved.`);
  return found;
}

/** @throws ApiError */
export function createVariable(place: VariablePlace, body: Schemas['NewVariable']): Promise<Variable> {
  return answerOf(
    place === null
      ? client.POST('/api/v1/variables/', { body })
      : client.POST('/api/v1/workflows/{slug}/variables/', { params: { path: { slug: place } }, body }),
  );
}

/** @throws ApiError */
export function changeVariable(
  place: VariablePlace,
  name: string,
  body: Schemas['VariableChanges'],
): Promise<Variable> {
  return answerOf(
    place === null
      ? client.PATCH('/api/v1/variables/{name}/', { params: { path: { name } }, body })
      : client.PATCH('/api/v1/workflows/{slug}/variables/{name}/', { params: { path: { slug: place, name } }, body }),
  );
}

/** @throws ApiError */
export async function removeVariable(place: VariablePlace, name: string): Promise<void> {
  await answerOf(
    place === null
      ? client.DELETE('/api/v1/variables/{name}/', { params: { path: { name } } })
      : client.DELETE('/api/v1/workflows/{slug}/variables/{name}/', { params: { path: { slug: place, name } } }),
  );
}
