import type { Pause } from '@millrace/core';
import { expect, test } from 'vitest';
import { humanConfirmation } from './human-confirmation.ts';
import { attempted } from './step.testkit.ts';

const asked = (prompt: string, fallback: boolean): Pause => ({ kind: 'approval', prompt, fallback, until: null });

test.each([
  [{ prompt: 'Ship {{ n }}?' }, null, { prompt: 'Ship 3?', fallback: false }],
  [{}, 'From before', { prompt: 'From before', fallback: false }],
  [{ default: true }, { not: 'text' }, { prompt: 'Continue?', fallback: true }],
  [{ default: '{{ n == 3 }}' }, null, { prompt: 'Continue?', fallback: true }],
])('with %j and the input %j it asks %j', async (config, input, pause) => {
  const outcome = await attempted(humanConfirmation, { config, input, names: { n: 3 } });
  expect(outcome).toEqual({ pause: { kind: 'approval', ...pause } });
});

test('outputs the answer, and logs who gave it', () => {
  const answer = { kind: 'decision', confirmed: true, response: 'go', by: 'ada' } as const;
  expect(humanConfirmation.resume?.({ input: null, pause: asked('?', false), answer })).toEqual({
    outputs: { confirmed: true, user_response: 'go' },
    metadata: { answered_by: 'ada' },
  });
});

test.each([true, false])('uses the default when nobody answers in time: %s', (fallback) => {
  const answer = { kind: 'time' } as const;
  expect(humanConfirmation.resume?.({ input: null, pause: asked('?', fallback), answer })).toMatchObject({
    outputs: { confirmed: fallback, user_response: '' },
  });
});
