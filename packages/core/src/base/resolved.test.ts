import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expressible } from './expressible.ts';
import { asBoolean, asInteger, asItems, asNumber, asObject, asOneOf, asText } from './resolved.ts';

const range = { least: 200, most: 599 };

describe('a resolved config value', () => {
  it('is text if it is text, a number or a boolean', () => {
    expect(asText('a', 'url')).toBe('a');
    expect(asText(4.5, 'url')).toBe('4.5');
    expect(asText(false, 'url')).toBe('false');
  });

  it('is a number if it is one, or text that contains one', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (n) => {
        expect(asNumber(n, 'amount')).toBe(n);
        const hasExactText = Number.isSafeInteger(n) || !/^-?\d+$/.test(String(n));
        if (hasExactText) expect(asNumber(` ${n}`, 'amount')).toBe(Number(String(n)));
      }),
    );
    expect(() => asNumber('9007199254740993', 'amount')).toThrow(
      "'amount' has too many digits: integers outside ±(2^53 − 1) are text, because a calculation would round them.",
    );
  });

  it('is an integer only within its range', () => {
    expect(asInteger('404', 'status', range)).toBe(404);
    for (const value of [199, 600, 200.5, 'ok']) expect(() => asInteger(value, 'status', range)).toThrow();
  });

  it('is a boolean, an object or a word if it is one', () => {
    expect(asBoolean('true', 'flag')).toBe(true);
    expect(asBoolean(false, 'flag')).toBe(false);
    expect(asObject({ a: 1 }, 'headers')).toEqual({ a: 1 });
    expect(asOneOf('b', 'mode', ['a', 'b'])).toBe('b');
  });

  it('fails the step with a message that names the field and shows no text', () => {
    const config = (message: string) => expect.objectContaining({ code: 'config', retryable: false, message });
    expect(() => asText(null, 'url')).toThrow(config("'url' must be text, but it is null."));
    expect(() => asText({}, 'body')).toThrow(config("'body' must be text, but it is an object."));
    expect(() => asNumber('a secret', 'amount')).toThrow(config("'amount' must be a number, but it is text."));
    expect(() => asNumber('', 'amount')).toThrow(config("'amount' must be a number, but it is empty text."));
    expect(() => asInteger(700, 'status', range)).toThrow(
      config("'status' must be a whole number from 200 to 599, but it is 700."),
    );
    expect(() => asBoolean(undefined, 'flag')).toThrow(config("'flag' must be true or false, but it is missing."));
    expect(() => asObject([], 'headers')).toThrow(config("'headers' must be an object, but it is a list."));
    expect(() => asOneOf(true, 'mode', ['a', 'b'])).toThrow(config("'mode' must be one of a, b, but it is true."));
  });
});

describe('an input of items', () => {
  it('is a list; anything else fails the step', () => {
    expect(asItems([1])).toEqual([1]);
    const error = { code: 'input', message: 'The input must be a list, but it is null.' };
    expect(() => asItems(null)).toThrow(expect.objectContaining(error));
  });
});

describe('an expressible config field', () => {
  const status = expressible(z.int().min(200));

  it('accepts the value itself or text with an expression, and no other text', () => {
    expect(status.safeParse(201).success).toBe(true);
    expect(status.safeParse('{{ trigger.payload.status }}').success).toBe(true);
    expect(status.safeParse('201').success).toBe(false);
    expect(status.safeParse(100).success).toBe(false);
  });
});
