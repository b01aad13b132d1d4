import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ServiceProcess } from '../durable/service-process.ts';

const text = `name: Limited
slug: limited
nodes:
  - {id: hook, type: trigger_manual}
  - {id: a, type: template, template: "${'x'.repeat(2000)}"}
  - {id: b, type: template, template: "{{ a.output }}"}
edges: ['hook -> a', 'a -> b']
`;

test.each([
  ['MILLRACE_MAX_STEPS', '2', 'The execution reached the limit of 2 step attempts (MILLRACE_MAX_STEPS).'],
  [
    'MILLRACE_MAX_RUN_BYTES',
    '3000',
    'The outputs of the steps exceed the limit of 3000 characters of JSON (MILLRACE_MAX_RUN_BYTES).',
  ],
  ['MILLRACE_MAX_STEPS', '3', null],
])('%s=%s limits each run', async (name, value, message) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-limits-'));
  const service = await ServiceProcess.start(dataDir, { [name]: value });
  onTestFinished(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const imported = await service.call('POST', '/api/v1/workflows/import/', { yaml_str: text });
  expect(imported.body).toMatchObject({ slug: 'limited' });
  const { body } = await service.call('POST', '/api/v1/workflows/limited/execute/', { wait: true });
  const { execution_id: id } = body as { execution_id: string };
  const run = await service.call('GET', `/api/v1/executions/${id}/`);
  const status = message === null ? 'completed' : 'failed';
  expect(run.body).toMatchObject({ status, error_message: message });
});
