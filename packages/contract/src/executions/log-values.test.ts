import { type Json, type JsonObject, runThrough } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitLogValues as fittingLogValues } from './log-values.ts';

/** The logs with markers, in one piece. */
const fitLogValues = (logs: Parameters<typeof fittingLogValues>[0]) => runThrough(fittingLogValues(logs));

const budget = 4_194_304;
const half = text(budget / 2);

/** A value whose JSON has this many characters. */
function text(length: number): string {
  return 'x'.repeat(length - 2);
}

function log(input: Json, output: JsonObject | null = null) {
  return { input, output };
}

/** Too large for the budget, in many parts. */
const large = Array.from({ length: 4300 }, () => text(1000));

describe('the values of logs', () => {
  it('are unchanged if they fit', () => {
    const logs = [log(half, { a: 1 }), log(text(budget / 2 - 10)), log(null), log([{ truncated: false }])];
    expect(fitLogValues(logs)).toEqual(logs);
  });

  it('are included in order, with all outputs before the inputs', () => {
    const marker = { truncated: true, size: half.length + 2, preview: `"${half.slice(0, 199)}` };
    const output = { port: text(1000) };
    expect(fitLogValues([log(half), log(half), log(half, output), log(text(1000))])).toEqual([
      log(half),
      log(marker),
      log(marker, output),
      log(text(1000)),
    ]);
  });

  it('are never replaced if the marker would be longer', () => {
    const logs = [log(text(budget)), log(text(200), { short: true }), log(7), log({ short: text(180) })];
    expect(fitLogValues(logs)).toEqual(logs);
    const [, cut] = fitLogValues([...logs.slice(0, 1), log(text(201))]);
    expect(cut?.input).toMatchObject({ truncated: true, size: 201 });
  });

  it('are replaced by a marker with the size and the beginning of their JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.boolean(), (first, isList) => {
        const value = (isList ? [first, large] : { first, large }) as Json;
        const json = JSON.stringify(value);
        const [cut] = fitLogValues([log(value)]);
        expect(cut?.input).toEqual({ truncated: true, size: json.length, preview: json.slice(0, 200) });
      }),
      { numRuns: 25 },
    );
  });

  it('are measured once if they are shared, including within new objects', () => {
    const readsOf = (count: number): number => {
      let reads = 0;
      const shared = new Proxy(large, {
        get(target, key, receiver) {
          reads += 1;
          return Reflect.get(target, key, receiver) as unknown;
        },
      });
      const logs = Array.from({ length: count }, (_, index) => log(index % 2 === 0 ? shared : { left: shared, index }));
      fitLogValues([...logs, log(null, { port: shared })]);
      return reads;
    };
    expect(readsOf(1)).toBeGreaterThan(0);
    expect(readsOf(100)).toBe(readsOf(1));
  });
});
