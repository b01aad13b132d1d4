import { isObject, type Json, type JsonObject } from '@millrace/core';
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

  it('adds the keys of each branch once, however many branches there are', async () => {
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key${index}`, index]));
    // Copying the keys of all earlier branches for each one would take minutes.
    const branches = Array.from({ length: 2000 }, (_, index) => ({ last: index }));
    const result = (await merged('combine', [wide, ...branches])) as JsonObject;
    expect(Object.keys(result).length).toBe(100_001);
    expect(result.last).toBe(1999);
  });

  it.each(['combine', 'append'])('charges the meter of the step for each key or item: %s', async (mode) => {
    const keys = Array.from({ length: 100_000 }, (_, index) => index);
    const branch: Json = mode === 'append' ? keys : Object.fromEntries(keys.map((key) => [`key${key}`, key]));
    const branches = Array.from({ length: 40 }, () => branch);
    await expect(merged(mode, branches)).rejects.toMatchObject({ code: 'work_limit' });
  });

  it('combines like two objects at a time', async () => {
    const both = (left: JsonObject, right: JsonObject): JsonObject => {
      const keys = new Map<string, Json>(Object.entries(left));
      for (const [key, value] of Object.entries(right)) {
        const earlier = keys.get(key);
        keys.set(key, isObject(earlier) && isObject(value) ? both(earlier, value) : value);
      }
      return Object.fromEntries(keys);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(objects, { maxLength: 6 }), async (branches) => {
        const expected = (branches as JsonObject[]).reduce(both, {});
        expect(JSON.stringify(await merged('combine', branches as Json[]))).toBe(JSON.stringify(expected));
      }),
    );
  });

  it('rejects objects that are nested too deeply', async () => {
    let deep: JsonObject = {};
    for (let level = 0; level < 100_000; level += 1) deep = { a: deep };
    await expect(merged('combine', [deep, deep])).rejects.toMatchObject({ code: 'input' });
  });
});
