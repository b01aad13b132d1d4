import { expect, it } from 'vitest';
import { assertion } from './assertion.ts';
import { perform } from './step.testkit.ts';

const names = { trigger: { payload: { total: 5, secret: 'hidden-value' } } };
const holds = { field: 'trigger.payload.total', operator: 'gt', value: 0 };
const fails = { field: 'trigger.payload.total', operator: 'gt', value: 10 };
const input = { any: 'thing' };

it('passes its input on when all rules hold and when there are none', async () => {
  const passed = { outputs: { output: input, passed: true } };
  expect(await perform(assertion, { input, names, config: { rules: [holds, holds] } })).toEqual(passed);
  expect(await perform(assertion, { input, names })).toEqual(passed);
});

it('fails when a rule does not hold, and names each such rule', async () => {
  const config = { rules: [holds, fails, { ...fails, label: 'a total over ten' }] };
  await expect(perform(assertion, { input, names, config })).rejects.toMatchObject({
    code: 'assertion',
    retryable: false,
    message: "Assertion failed: 'trigger.payload.total' gt; a total over ten.",
  });
});

it('contains no value in its error', async () => {
  const rule = { field: 'trigger.payload.secret', operator: 'equals', value: 'other-value' };
  await expect(perform(assertion, { names, config: { rules: [rule] } })).rejects.toThrow(/^(?!.*(hidden|other)).*$/);
});

it('fails with the configured message, if there is one', async () => {
  const config = { rules: [fails], message: 'The total is {{ trigger.payload.total }}.' };
  await expect(perform(assertion, { names, config })).rejects.toThrow('The total is 5.');
});

it('outputs the result if it is configured not to fail', async () => {
  const result = await perform(assertion, { input, names, config: { rules: [fails], fail: false } });
  expect(result).toEqual({ outputs: { output: input, passed: false } });
});
