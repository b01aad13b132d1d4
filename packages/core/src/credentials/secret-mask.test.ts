import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSecretKey, looksMasked, maskText } from './secret-mask.ts';

describe('a mask', () => {
  test.each([
    ['', ''],
    ['a', '****'],
    ['elevenchars', '****'],
    ['twelve-chars', 'twel****hars'],
    ['sk-1234567890-abcdef', 'sk-1****cdef'],
    ['😀😀😀😀😀😀😀😀😀😀😀', '****'],
    ['😀😀😀😀😀😀😀😀😀😀😀😀', '😀😀😀😀****😀😀😀😀'],
  ])('of %j is %j', (secret, mask) => {
    expect(maskText(secret)).toBe(mask);
  });

  test('shows at most eight code points, never half of one, and looks like a mask', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), (secret) => {
        const mask = maskText(secret);
        expect(mask.isWellFormed()).toBe(secret.isWellFormed() || mask.isWellFormed());
        expect(Array.from(mask).length).toBeLessThanOrEqual(12);
        expect(looksMasked(mask)).toBe(true);
        if (Array.from(secret).length < 12) expect(mask).toBe('****');
      }),
    );
  });
});

test.each(['****', 'a****', '****b', 'abcd****wxyz', '********', '😀😀😀😀****😀'])('%s looks like a mask', (text) => {
  expect(looksMasked(text)).toBe(true);
});

test.each(['', '***', 'abcde****wxyz', 'abcd****vwxyz', 'sk-12****34-56', '* * * *'])('%j does not', (text) => {
  expect(looksMasked(text)).toBe(false);
});

test.each([
  'key',
  'apiKey',
  'API_TOKEN',
  'clientSecret',
  'PassPhrase',
  'authorization',
  'Cookie',
  'credentials',
])('%s is a key of a secret', (key) => expect(isSecretKey(key)).toBe(true));

test.each(['url', 'timeout', 'user', 'region'])('%s is not', (key) => expect(isSecretKey(key)).toBe(false));
