import { credentialTest, modelList } from '@millrace/contract';
import type { FastifyInstance } from 'fastify';
import type { CredentialModels } from '../../../services/credentials/credential-models.ts';
import { addWarning } from '../../handling/warning.ts';
import { addRoute, pathId } from '../../plumbing/route.ts';

const tag = 'Credentials';

/** The endpoints that call the provider of an LLM credential. */
export function addCredentialModels(app: FastifyInstance, credentialModels: CredentialModels): void {
  const load = (_caller: unknown, { credential_id }: Readonly<Record<string, string>>) =>
    credentialModels.find(pathId(credential_id));

  addRoute(app, {
    method: 'POST',
    path: '/api/v1/credentials/:credential_id/test/',
    operationId: 'testCredential',
    summary: 'Tests the key of an LLM credential with a minimal call',
    tag,
    access: 'user',
    success: { status: 200, schema: credentialTest },
    load,
    handle: async ({ loaded }) => {
      const error = await credentialModels.test(loaded);
      return { ok: error === null, error: error ?? '' };
    },
  });
  addRoute(app, {
    method: 'GET',
    path: '/api/v1/credentials/:credential_id/models/',
    operationId: 'listCredentialModels',
    summary: 'Lists the models of an LLM credential; if the provider fails, none, with the reason in Millrace-Warning',
    tag,
    access: 'user',
    success: { status: 200, schema: modelList },
    load,
    handle: async ({ loaded, reply }) => {
      const { models, warning } = await credentialModels.list(loaded);
      if (warning !== null) addWarning(reply, warning);
      return models;
    },
  });
}
