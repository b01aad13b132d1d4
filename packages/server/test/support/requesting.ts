import { credential, executionDetail } from '@millrace/contract';
import { expect } from 'vitest';
import type { Api } from './api.ts';

const credentials = '/api/v1/credentials/';

/** Creates a `tool` credential with this config. */
export async function addToolCredential(api: Api, config: object): Promise<number> {
  const { status, text, body } = await api.post(credentials, {
    name: 'Tool',
    credential_type: 'tool',
    detail: { config },
  });
  expect([status, text]).toEqual([201, text]);
  return credential.parse(body).id;
}

/** Creates a workflow whose only step sends a request; without retries, unless its config has them. */
export async function addRequesting(
  api: Api,
  {
    slug,
    config,
    credentialId = null,
    type = 'http_request',
  }: { slug: string; config: object; credentialId?: number | null; type?: string },
): Promise<void> {
  const path = `/api/v1/workflows/${slug}`;
  await api.post('/api/v1/workflows/', { name: slug, slug });
  await api.post(`${path}/nodes/`, { node_id: 'start', component_type: 'trigger_manual' });
  const node = {
    node_id: 'get',
    component_type: type,
    config: { credential_id: credentialId, extra_config: { retry: { max_attempts: 1 }, ...config } },
  };
  const { status, text } = await api.post(`${path}/nodes/`, node);
  expect([status, text]).toEqual([201, text]);
  await api.post(`${path}/edges/`, { source_node_id: 'start', target_node_id: 'get' });
}

/** Runs such a workflow, recorded, and returns the output of its step, or the error of its last attempt. */
export async function runRequesting(api: Api, slug: string) {
  const started = await api.post(`/api/v1/workflows/${slug}/execute/`, { text: 'Go', wait: true, record: true });
  const { execution_id: id } = started.body as { execution_id: string };
  const detail = executionDetail.parse((await api.get(`/api/v1/executions/${id}/`)).body);
  // For tests that search all answers for secrets. The largest answers are not recorded.
  expect([200, 409]).toContain((await api.get(`/api/v1/executions/${id}/cassette/`)).status);
  const steps = detail.logs.filter(({ node_id }) => node_id === 'get');
  const step = steps.at(-1);
  if (step === undefined) throw new Error(`no step: ${JSON.stringify(detail)}`);
  const { output, error, error_code: code, metadata } = step;
  return { status: detail.status, attempts: steps.length, output, error, code, metadata };
}
