import { describe, expect, test } from 'vitest';
import { runThrough } from '../base/meter.ts';
import type { OutboundResponse } from '../component/component.ts';
import { readAnswer } from './answer.ts';

const request = { method: 'GET', url: 'https://api.example/', headers: {}, body: null };

function read(text: string) {
  const body = { size: text.length, text: () => text, base64: () => '' };
  const headers = { 'content-type': 'application/json' };
  const response: OutboundResponse = { url: request.url, isFromHome: true, status: 200, headers, body };
  return runThrough(readAnswer(request, response));
}

/** The inside of an object with this many names. */
function names(count: number): string {
  return Array.from({ length: count }, (_, index) => `"${index.toString(36)}":0`).join(',');
}

describe('a JSON answer', () => {
  test.each<[string, string, string]>([
    ['too many values', `[${'0,'.repeat(1_000_000)}0]`, 'more than 1000000 values'],
    ['too many lists', `[${'[],'.repeat(500_000)}0]`, 'more than 500000 lists and objects'],
    ['the same before its end is known', `[${'[],'.repeat(500_000)}`, 'more than 500000 lists and objects'],
    ['too many different names', `{${names(100_001)}}`, 'more than 100000 different names'],
    ['more levels than a payload may have', `${'['.repeat(65)}${']'.repeat(65)}`, 'deeper than 64 levels'],
    ['millions of levels', '['.repeat(5_000_000), 'deeper than 64 levels'],
    ['no JSON', '{', 'The response is not JSON'],
  ])('with %s fails the step', (_name, text, message) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({ code: 'input', message: expect.stringContaining(message) }),
    );
  });

  test('has as many values, names and levels as are allowed', () => {
    expect(read(`[${'0,'.repeat(999_997)}0]`)).toHaveLength(999_998);
    expect(read(`[{${names(100_000)}},{${names(100_000)}}]`)).toHaveLength(2);
    expect(read(`${'['.repeat(64)}",[{"${']'.repeat(64)}`)).toBeDefined();
  });
});
