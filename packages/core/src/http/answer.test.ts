import { describe, expect, test } from 'vitest';
import type { OutboundResponse } from '../component/component.ts';
import { readAnswer } from './answer.ts';

const request = { method: 'GET', url: 'https://api.example/', headers: {}, body: null };

function read(text: string) {
  const body = { size: text.length, text: () => text, base64: () => '' };
  const headers = { 'content-type': 'application/json' };
  const response: OutboundResponse = { url: request.url, isFromHome: true, status: 200, headers, body };
  return readAnswer(request, response);
}

describe('a JSON answer', () => {
  test.each<[string, string, string]>([
    ['more values than a payload may have', `[${'[],'.repeat(100_000)}0]`, 'more than 200000 values'],
    ['the same before its end is known', `[${'0,'.repeat(200_001)}`, 'more than 200000 values'],
    ['more levels than a payload may have', `${'['.repeat(65)}${']'.repeat(65)}`, 'deeper than 64 levels'],
    ['millions of levels', '['.repeat(5_000_000), 'deeper than 64 levels'],
    ['no JSON', '{', 'The response is not JSON'],
  ])('with %s fails the step', (_name, text, message) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({ code: 'input', message: expect.stringContaining(message) }),
    );
  });

  test('has as many values and levels as a payload may have', () => {
    expect(read(`[${'0,'.repeat(199_997)}0]`)).toHaveLength(199_998);
    expect(read(`${'['.repeat(64)}",[{"${']'.repeat(64)}`)).toBeDefined();
  });
});
