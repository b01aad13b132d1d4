import { ApiError, answerOf, type Schemas } from '@millrace/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

export type Workflow = Schemas['Workflow'];
export type WorkflowDetail = Schemas['WorkflowDetail'];

/** What a list of workflows is limited to. */
export interface WorkflowFilter {
  readonly limit: number;
  readonly offset: number;
}

/** One page of the workflows that the user may read. */
export function workflowsQuery(filter: WorkflowFilter) {
  return queryOptions({
    queryKey: ['workflows', 'list', filter],
    queryFn: () => answerOf(client.GET('/api/v1/workflows/', { params: { query: filter } })),
  });
}

/** Reads a workflow with its nodes and edges. @throws ApiError */
export function workflowDetail(slug: string): Promise<WorkflowDetail> {
  return answerOf(client.GET('/api/v1/workflows/{slug}/', { params: { path: { slug } } }));
}

/** A workflow with its nodes and edges. */
export function workflowQuery(slug: string) {
  return queryOptions({ queryKey: ['workflows', 'detail', slug], queryFn: () => workflowDetail(slug) });
}

/** A version of a workflow with its graph. A version never changes. */
export function versionQuery(slug: string, version: number) {
  return queryOptions({
    queryKey: ['workflows', 'version', slug, version],
    queryFn: () =>
      answerOf(client.GET('/api/v1/workflows/{slug}/versions/{version}/', { params: { path: { slug, version } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/**
 * Creates a workflow from its YAML text, or changes the workflow with the slug: of the text, unless one is given.
 * @throws ApiError with status 409 if the text gives no slug, and the slug of its name is taken
 */
export function importWorkflow(yaml: string, slug?: string): Promise<Workflow> {
  const body = { yaml_str: yaml, ...(slug !== undefined && { slug }) };
  return answerOf(client.POST('/api/v1/workflows/import/', { body }));
}

/** A person who has created this many workflows from one template renames them. */
const maxCopies = 100;

/** Creates a workflow from a text without a slug. If a workflow has its name, it gets a number. */
export async function createFromTemplate(yaml: string): Promise<Workflow> {
  for (let copy = 1; ; copy += 1) {
    const numbered = copy === 1 ? yaml : yaml.replace(/^name: (.*)$/m, `name: $1 ${copy}`);
    try {
      return await importWorkflow(numbered);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 409) || copy === maxCopies) throw error;
    }
  }
}

/** The most workflows that a picker suggests. */
const maxSuggested = 1000;

/** The names of the workflows that the user may read, for a picker. */
export const workflowNamesQuery = queryOptions({
  queryKey: ['workflows', 'names'],
  queryFn: async () => {
    const page = await answerOf(
      client.GET('/api/v1/workflows/', { params: { query: { limit: maxSuggested, offset: 0 } } }),
    );
    return page.items.map(({ slug, name }) => ({ slug, name }));
  },
});

/** Changes fields of a workflow, not its graph. */
export function changeWorkflow(slug: string, changes: Schemas['WorkflowChanges']): Promise<Workflow> {
  return answerOf(client.PATCH('/api/v1/workflows/{slug}/', { params: { path: { slug } }, body: changes }));
}
