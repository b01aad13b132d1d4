import { catalogue } from '@millrace/components';
import { expect } from 'vitest';
import { startWorkflow } from './app.ts';

/** The codes of issues about settings. */
const settings = new Set([
  'bad_setting',
  'missing_input',
  'missing_setting',
  'never_fires',
  'unusable_credential',
  'credential_missing',
]);

/** The issues about settings in a workflow of these nodes, in a service with the credential 1, of the type `chat_bot`. */
export async function settingIssues(nodes: readonly object[]): Promise<readonly object[]> {
  const api = await startWorkflow({ catalogue });
  const body = { name: 'A bot', credential_type: 'chat_bot' };
  const { id } = (await api.post('/api/v1/credentials/', body)).body as { id: number };
  // The first credential of this service.
  expect(id).toBe(1);
  for (const node of nodes) expect((await api.post(`${api.path}/nodes/`, node)).status).toBe(201);
  const { issues } = (await api.post(`${api.path}/validate/`)).body as { issues: readonly { code: string }[] };
  return issues.filter(({ code }) => settings.has(code));
}
