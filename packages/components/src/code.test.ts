import type { Script } from '@millrace/core';
import { expect, it } from 'vitest';
import { code } from './code.ts';
import { type Attempt, perform } from './step.testkit.ts';

const names = {
  trigger: { payload: { n: 1 }, text: 'hello' },
  nodes: { fetch: { result: [1, 2] } },
  loop: { item: 'a', index: 0, total: 1 },
};

/** The script that the sandbox receives. */
async function asked(attempt: Attempt): Promise<Script> {
  let seen: Script | null = null;
  const runScript = (script: Script) => {
    seen = script;
    return { value: null, lines: [] };
  };
  await perform(code, { names, ...attempt, runScript });
  if (seen === null) throw new Error('nothing was run');
  return seen;
}

it('outputs the value that the code returned', async () => {
  const runScript = () => ({ value: { total: 3 }, lines: [] });
  expect(await perform(code, { config: { code: 'return …' }, runScript })).toEqual({
    outputs: { output: { total: 3 } },
  });
});

it('stores the console output of the code in the metadata of the step', async () => {
  const runScript = () => ({ value: null, lines: ['3 prices'] });
  const { metadata } = await perform(code, { config: { code: 'console.log(3)' }, runScript });
  expect(metadata).toEqual({ console: ['3 prices'] });
});

it('runs JavaScript unless the config selects TypeScript', async () => {
  expect(await asked({ config: { code: 'return 1' } })).toMatchObject({ language: 'javascript', source: 'return 1' });
  expect(await asked({ config: { language: 'typescript', code: 'return 1' } })).toMatchObject({
    language: 'typescript',
  });
});

it('sends only the values that the code names', async () => {
  const input = { id: 7 };
  const scopeOf = async (source: string) => (await asked({ input, config: { code: source } })).scope;
  expect(await scopeOf('return input.id + nodes.fetch.result[0]')).toEqual({ input, nodes: names.nodes });
  expect(await scopeOf('return [trigger.text, loop.index]')).toEqual({ trigger: names.trigger, loop: names.loop });
  expect(await scopeOf('return 1')).toEqual({});
  expect(await scopeOf('return \\u0069nput')).toEqual({ input, ...names });
});

it('omits what does not exist, such as loop outside a loop', async () => {
  expect((await asked({ config: { code: 'return typeof loop' }, names: {} })).scope).toEqual({});
});

it('does not evaluate braces in code as expressions', async () => {
  const source = 'return { a: "{{ input }}", b: {c: {d: 1}} };';
  expect((await asked({ config: { code: source } })).source).toBe(source);
});

it('fails without code', async () => {
  await expect(perform(code)).rejects.toMatchObject({ code: 'config', message: expect.stringContaining("'code'") });
});

it('rejects Python and lists the supported languages', () => {
  const result = code.config.safeParse({ language: 'python', code: 'return 1' });
  expect(result.error?.issues[0]?.message).toMatch(/Python .* not installed: .*javascript or typescript/);
  expect(code.config.safeParse({ language: 'ruby' }).success).toBe(false);
  expect(code.config.safeParse({ code: 'x'.repeat(65_537) }).success).toBe(false);
});
