import { executionDetail } from '@millrace/contract';
import { isObject, type JsonObject } from '@millrace/core';
import { expect } from 'vitest';
import type { Api } from './api.ts';

/** How a step with a git node ended: its result, or its error. */
interface GitStepEnd {
  readonly result: JsonObject | null;
  readonly error: string | null;
  readonly code: string | null;
}

interface GitSteps {
  readonly url: string;
  readonly credentialId: number | null;
  /** A text that no answer may contain. */
  readonly secret: string;
}

let workflows = 0;

/** The steps of one execution with these git nodes in sequence. */
export async function runGitSteps(
  api: Api,
  configs: readonly JsonObject[],
  { url, credentialId, secret }: GitSteps,
): Promise<readonly GitStepEnd[]> {
  workflows += 1;
  const slug = `git-${workflows}`;
  const path = `/api/v1/workflows/${slug}`;
  await api.post('/api/v1/workflows/', { name: slug, slug });
  await api.post(`${path}/nodes/`, { node_id: 'start', component_type: 'trigger_manual' });
  const ids = configs.map((_, index) => `git_${index}`);
  for (const [index, config] of configs.entries()) {
    const extra_config = { url, retry: { max_attempts: 1 }, ...config };
    const body = { node_id: ids[index], component_type: 'git', config: { credential_id: credentialId, extra_config } };
    expect(await api.post(`${path}/nodes/`, body)).toMatchObject({ status: 201 });
    const edge = { source_node_id: ids[index - 1] ?? 'start', target_node_id: ids[index] };
    expect(await api.post(`${path}/edges/`, edge)).toMatchObject({ status: 201 });
  }
  const started = await api.post(`${path}/execute/`, { wait: true, record: true });
  const { execution_id: id } = started.body as { execution_id: string };
  const answer = await api.get(`/api/v1/executions/${id}/`);
  expect(answer.text).not.toContain(secret);
  const recorded = await api.get(`/api/v1/executions/${id}/cassette/`);
  expect(recorded.text).not.toContain(secret);
  const { logs } = executionDetail.parse(answer.body);
  await expectSameAgain(api, { path, id, logs });
  return ids.map((nodeId) => {
    const {
      output = null,
      error = null,
      error_code: code = null,
    } = logs.findLast((log) => log.node_id === nodeId) ?? {};
    return { result: isObject(output) ? (output.result as JsonObject) : null, error, code };
  });
}

interface Recorded {
  readonly path: string;
  readonly id: string;
  readonly logs: readonly {
    readonly node_id: string;
    readonly output?: unknown;
    readonly error?: string | null | undefined;
  }[];
}

/** With its recorded answers, the workflow does the same again, without git. */
async function expectSameAgain(api: Api, { path, id, logs }: Recorded): Promise<void> {
  const again = await api.post(`${path}/execute/`, { wait: true, cassette: id });
  const { execution_id: other } = again.body as { execution_id: string };
  const { body } = await api.get(`/api/v1/executions/${other}/`);
  const shown = (all: Recorded['logs']) => all.map(({ node_id, output, error }) => ({ node_id, output, error }));
  expect(shown(executionDetail.parse(body).logs)).toEqual(shown(logs));
}
