import type { Json, JsonObject } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { merge } from './merge.ts';
import { perform } from './step.testkit.ts';

async function merged(mode: string | undefined, input: Json[], sources: string[] = []): Promise<Json | undefined> {
  const config: JsonObject = mode === undefined ? {} : { mode };
  return (await perform(merge, { input, config, sources })).outputs.merged;
}

const objects = fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor'), fc.jsonValue({ maxDepth: 4 }));

describe('merge', () => {
  it('appends lists and other values in the order of its branches, by default', async () => {
    expect(await merged(undefined, [[1, [2]], 'a', { b: 3 }, null])).toEqual([1, [2], 'a', { b: 3 }, null]);
  });

  it('combines objects deeply, and uses the last of other values', async () => {
    const left = { user: { name: 'Member', tags: ['x'] }, total: 1 };
    const right = { user: { age: 36, tags: ['y'] }, total: { net: 2 } };
    expect(await merged('combine', [left, right])).toEqual({
      user: { name: 'Member', age: 36, tags: ['y'] },
      total: { net: 2 },
    });
    expect(await merged('combine', [])).toEqual({});
  });

  it('combines objects only', async () => {
    await expect(merged('combine', [{}, [1]])).rejects.toMatchObject({ code: 'input' });
  });

  it('takes the first branch', async () => {
    expect(await merged('first', ['a', 'b'])).toBe('a');
    expect(await merged('first', [null, 'b'])).toBe(null);
  });

  it('keys branches by their source nodes', async () => {
    expect(await merged('keyed', [1, [2]], ['one', 'two'])).toEqual({ one: 1, two: [2] });
  });
});

describe('merging hostile objects', () => {
  it('treats __proto__ and constructor as plain keys and changes no prototype', async () => {
    const hostile = '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}';
    const result = (await merged('combine', [{}, JSON.parse(hostile), JSON.parse(hostile)])) as JsonObject;
    expect(JSON.parse(JSON.stringify(result))).toEqual(JSON.parse(hostile));
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(({} as JsonObject).polluted).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('has the keys of both objects, and changes neither', async () => {
    await fc.assert(
      fc.asyncProperty(objects, objects, async (left, right) => {
        const before = JSON.stringify([left, right]);
        const result = (await merged('combine', [left, right] as Json[])) as JsonObject;
        expect(Object.keys(result).sort()).toEqual([...new Set([...Object.keys(left), ...Object.keys(right)])].sort());
        expect(JSON.stringify([left, right])).toBe(before);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });

  it('rejects objects that are nested too deeply', async () => {
    let deep: JsonObject = {};
    for (let level = 0; level < 100_000; level += 1) deep = { a: deep };
    await expect(merged('combine', [deep, deep])).rejects.toMatchObject({ code: 'input' });
  });
});
