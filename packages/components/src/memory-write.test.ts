import { type FactSpace, type JsonObject, toolOf } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { memoryRead } from './memory-read.ts';
import { memoryWrite } from './memory-write.ts';
import { perform, testKey } from './step.testkit.ts';

/** The result of a step, and what it has stored or deleted. */
async function written(config: JsonObject, input: JsonObject | string | null = null) {
  const done: [string, FactSpace, unknown][] = [];
  const facts = {
    put: async (space: FactSpace, fact: object) => void done.push(['put', space, fact]),
    remove: async (space: FactSpace, key: string) => void done.push(['remove', space, key]),
  };
  const { outputs } = await perform(memoryWrite, { config, input, facts });
  return { result: outputs.result, done };
}

describe('memory_write', () => {
  it('stores the value of its config, also null, else its input', async () => {
    const space = { scope: 'workflow' };
    expect(await written({ key: 'k', value: [1] }, 'in')).toEqual({
      result: 'k',
      done: [['put', space, { key: 'k', value: [1] }]],
    });
    expect((await written({ key: 'k', value: null }, 'in')).done).toEqual([['put', space, { key: 'k', value: null }]]);
    expect((await written({ key: 'k' }, { a: 1 })).done).toEqual([['put', space, { key: 'k', value: { a: 1 } }]]);
  });

  it('uses the key of the step without one, but deletes nothing without one', async () => {
    expect((await written({ value: 1 })).result).toBe(testKey);
    await expect(written({ mode: 'delete' })).rejects.toMatchObject({ code: 'config' });
    expect((await written({ mode: 'delete', key: 'k' })).done).toEqual([['remove', { scope: 'workflow' }, 'k']]);
  });

  it('needs a person for the scope user only', async () => {
    const person = { scope: 'user', user_id: '7' };
    expect((await written({ ...person, value: 1 })).done).toMatchObject([['put', { scope: 'user', userId: '7' }, {}]]);
    await expect(written({ scope: 'user', value: 1 })).rejects.toMatchObject({ code: 'config' });
    await expect(written({ scope: 'user', user_id: 'x'.repeat(256), value: 1 })).rejects.toThrow('255');
  });
});

/** The parameters that a model may fill. */
function parametersOf(component: typeof memoryRead | typeof memoryWrite, config: JsonObject) {
  const { properties = {}, required } =
    toolOf({ nodeId: 'tool', component: component as never, config, settings: {} })?.parameters ?? {};
  return [Object.keys(properties as object), required];
}

describe('the facts as tools', () => {
  it('let a model fill what to read, but never whose facts', () => {
    for (const config of [{}, { scope: 'global' }, { scope: 'user', user_id: '7' }, { scope: 'user' }])
      expect(parametersOf(memoryRead, config)).toEqual([['query', 'key'], []]);
    expect(parametersOf(memoryRead, { key: 'k' })).toEqual([['query'], []]);
  });

  it('let a model fill what to write; what to delete must be named', () => {
    expect(parametersOf(memoryWrite, {})).toEqual([['key', 'value'], ['value']]);
    expect(parametersOf(memoryWrite, { key: 'k' })).toEqual([['value'], ['value']]);
    expect(parametersOf(memoryWrite, { mode: 'delete' })).toEqual([['key'], ['key']]);
    expect(parametersOf(memoryWrite, { mode: 'delete', key: 'k' })).toEqual([[], []]);
  });
});
