import { describe, expect, it } from 'vitest';
import { state } from './state.ts';

const ctx = {} as never;
const run = (config: object, input: unknown = 'in') => state.run?.({ config, input, ctx } as never);

describe('state', () => {
  it('returns an operation with the value of the config or the input', () => {
    const common = { scope: null, key: 'k', ttlSeconds: null };
    expect(run({ operation: 'set', key: 'k' })).toEqual({ state: { ...common, operation: 'set', value: 'in' } });
    expect(run({ operation: 'set', key: 'k', value: 1 })).toMatchObject({ state: { value: 1 } });
    expect(run({ operation: 'increment', key: 'k' })).toMatchObject({ state: { value: 1 } });
    expect(run({ operation: 'first_seen', key: 'k', ttl_seconds: 5 })).toMatchObject({
      state: { value: true, ttlSeconds: 5 },
    });
    expect(run({ operation: 'get', key: 5, scope: 's' })).toMatchObject({ state: { key: '5', scope: 's' } });
  });

  it.each([
    { operation: 'push', key: 'k' },
    { operation: 'get', key: '' },
    { operation: 'get', key: 'k'.repeat(256) },
    { operation: 'get', key: 'k', scope: '' },
    { operation: 'set', key: 'k', ttl_seconds: 1 },
    { operation: 'first_seen', key: 'k', ttl_seconds: 0 },
  ])('fails on %j', (config) => {
    expect(() => run(config)).toThrow(expect.objectContaining({ code: 'config' }));
  });
});
