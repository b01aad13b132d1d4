import { createCredential, credentialsQuery } from '../api/credentials.ts';
import { queryClient } from '../api/query-client.ts';
import { createFromTemplate, type Workflow } from '../api/workflows.ts';
import type { Template } from './templates.ts';

/** Creates a workflow from a template, and first the credential of its model server if there is none with that name. */
export async function startFromTemplate({ yaml, server }: Template): Promise<Workflow> {
  if (server !== undefined) {
    const { credential: name, baseUrl } = server;
    const known = await queryClient.fetchQuery({ ...credentialsQuery, staleTime: 0 });
    if (!known.some((credential) => credential.name === name)) {
      await createCredential({ name, type: 'llm', detail: { base_url: baseUrl } });
    }
  }
  return createFromTemplate(yaml);
}
