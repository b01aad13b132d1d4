import { expect, test } from 'vitest';
import { attempted } from './step.testkit.ts';
import { workflow } from './workflow.ts';

const pause = { kind: 'child', executionId: 'e1', workflow: 'other', until: null } as const;
const end = { kind: 'end', status: 'completed', output: 7, error: null } as const;

test('starts the workflow with its payload, or otherwise with the input, and waits for it', async () => {
  const started: unknown[] = [];
  const startWorkflow = async (...call: unknown[]) => {
    started.push(call);
    return 'e1';
  };
  const waits = { pause: { kind: 'child', executionId: 'e1', workflow: 'other' } };
  const config = { workflow: 'other' };
  expect(await attempted(workflow, { config, input: 5, startWorkflow })).toEqual(waits);
  expect(await attempted(workflow, { config: { ...config, payload: { a: '{{ 1 + 1 }}' } }, startWorkflow })).toEqual(
    waits,
  );
  const alone = await attempted(workflow, { config: { ...config, wait: false }, input: 5, startWorkflow });
  expect(alone).toEqual({ outputs: { output: { execution_id: 'e1' } } });
  expect(started).toEqual([
    ['other', 5, true],
    ['other', { a: 2 }, true],
    ['other', 5, false],
  ]);
});

test('outputs the result of the other workflow', () => {
  expect(workflow.resume?.({ input: null, pause, answer: end })).toEqual({
    outputs: { output: 7 },
    metadata: { execution_id: 'e1' },
  });
});

test.each([
  [{ ...end, status: 'failed', error: 'It broke.' } as const, "Workflow 'other' failed: It broke."],
  [{ ...end, status: 'cancelled', error: null } as const, "Workflow 'other' was cancelled"],
  [{ kind: 'time' } as const, "Workflow 'other' did not end within timeout_seconds."],
])('fails if the other workflow failed or was cancelled: %j', (answer, message) => {
  expect(() => workflow.resume?.({ input: null, pause, answer })).toThrow(message);
});
