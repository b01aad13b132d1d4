import { describe, expect, test } from 'vitest';
import { parsePayload, readRecent, type SentPayload, samplesIn, withSample, withSent } from './payload.ts';

describe('a payload', () => {
  test('is JSON; an empty text means the default', () => {
    expect(parsePayload('{"a": [1]}')).toEqual({ kind: 'value', value: { a: [1] } });
    expect(parsePayload(' \n')).toEqual({ kind: 'value', value: undefined });
  });

  test('that is not JSON is reported with its line', () => {
    const parsed = parsePayload('{\n  "a": 1,\n  b: 2\n}');
    expect(parsed).toEqual({ kind: 'invalid', message: 'This is not valid JSON: line 3, column 3.' });
    expect(parsePayload('{').kind).toBe('invalid');
  });
});

describe('the recent payloads', () => {
  const sent = (text: string, at = 1): SentPayload => ({ trigger: 'hook', text, at });

  test('are the last ten, each once, newest first', () => {
    let recent: readonly SentPayload[] = [];
    for (let i = 0; i < 15; i += 1) recent = withSent(recent, sent(`${i}`, i));
    recent = withSent(recent, sent('9', 20));
    expect(recent.map(({ text }) => text)).toEqual(['9', '14', '13', '12', '11', '10', '8', '7', '6', '5']);
  });

  test('omit empty and very long texts', () => {
    expect(withSent([], sent(' '))).toEqual([]);
    expect(withSent([], sent('x'.repeat(100_000)))).toEqual([]);
  });

  test('survive a reload, and a damaged store is empty', () => {
    expect(readRecent(JSON.stringify([sent('1'), { text: 3 }]))).toEqual([sent('1')]);
    expect(readRecent('nonsense')).toEqual([]);
    expect(readRecent(null)).toEqual([]);
  });
});

test('samples are named payloads of a trigger, and a new one replaces that of the same name', () => {
  const samples = samplesIn({ samples: [{ name: 'a', payload: null }, { name: 3 }, 'x'] });
  expect(samples).toEqual([{ name: 'a', payload: null }]);
  expect(samplesIn(null)).toEqual([]);
  expect(withSample(samples, { name: 'a', payload: 1 })).toEqual([{ name: 'a', payload: 1 }]);
});
