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

/** A workflow with its nodes and edges. */
export function workflowQuery(slug: string) {
  return queryOptions({
    queryKey: ['workflows', 'detail', slug],
    queryFn: () => answerOf(client.GET('/api/v1/workflows/{slug}/', { params: { path: { slug } } })),
  });
}

/**
 * Creates a workflow from its YAML text, or changes the workflow whose slug the text gives.
 * @throws ApiError with status 409 if the text gives no slug, and the slug of its name is taken
 */
export function importWorkflow(yaml: string): Promise<Workflow> {
  return answerOf(client.POST('/api/v1/workflows/import/', { body: { yaml_str: yaml } }));
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
