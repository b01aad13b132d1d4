import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capture, compilePattern, matches } from './regex.ts';

describe('matches', () => {
  it('finds a pattern anywhere in the text', () => {
    expect(matches('b+', 'aabbcc')).toBe(true);
    expect(matches('^b+$', 'aabbcc')).toBe(false);
  });

  it('accepts syntax that JavaScript writes differently from RE2', () => {
    expect(matches('^(?<word>\\u0041\\/)$', 'A/')).toBe(true);
  });

  it('agrees with JavaScript on plain patterns', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '(?:ab|c)', '^', '$');
    const piece = fc
      .tuple(atom, fc.constantFrom('', '+', '*', '?'))
      .map(([a, q]) => (/[\^$]/.test(a) && a.length === 1 ? a : a + q));
    const pattern = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1'), maxLength: 12 });
    fc.assert(
      fc.property(pattern, text, (source, input) => {
        expect(matches(source, input)).toBe(new RegExp(source, 'u').test(input));
      }),
    );
  });

  it('matches in linear time a pattern that backtracks exponentially elsewhere', () => {
    // V8 needs more than 10^15 steps for this, so it is enough that the test ends.
    expect(matches('^(a+)+$', `${'a'.repeat(100_000)}!`)).toBe(false);
  });

  it.each(['(a', '(?=a)', '(?<=a)b', '(a)\\1', 'a{1001}', '*'])('rejects %s with the config error', (pattern) => {
    expect(() => matches(pattern, 'a')).toThrow(expect.objectContaining({ name: 'StepError', code: 'config' }));
  });

  it('rejects patterns that are long or unroll to large programs', () => {
    expect(() => matches('a'.repeat(1001), 'a')).toThrow('The pattern has 1001 characters; at most 1000 are allowed.');
    expect(() => matches('(?:a?){1000}'.repeat(3), 'a')).toThrow(
      'The pattern is too large: it has too many repetitions.',
    );
  });

  it('rejects texts over 1 MiB, and shorter ones for patterns of many steps', () => {
    expect(matches('b', 'a'.repeat(1 << 20))).toBe(false);
    const tooLong = expect.objectContaining({ code: 'input' });
    expect(() => matches('b', 'a'.repeat((1 << 20) + 1))).toThrow(tooLong);
    expect(() => matches('(?:a?){900}[bc]', 'a'.repeat(1 << 20))).toThrow(tooLong);
  });
});

describe('an unsupported pattern', () => {
  it.each([
    ['(a', 'a ( is never closed'],
    ['a)', 'a ) has no opening (; write a literal one as \\)'],
    ['[a', "the [ of '[a' is never closed"],
    ['*a', "'*' has nothing before it to repeat"],
    ['a**', "'**' repeats a repetition: put the inner part into (?: )"],
    ['a{3,2}', "'{3,2}' may have at most 1000 repetitions, with the smaller number first"],
    ['(?=a)', "'(?=' is not supported: patterns have no lookaround"],
    ['(?<!a)b', "'(?<!a)b' is not a named group; patterns have no lookaround"],
    ['(a)\\1', "'\\1' is not supported: patterns have no backreferences"],
    ['[z-a]', "'z-a' is not a character range or class"],
    ['(?<a>x)(?<a>y)', "two groups are named 'a'"],
    ['a\\', 'it ends with a \\ that escapes nothing'],
  ])('gets an error with the reason and an alternative: %s', (pattern, words) => {
    expect(() => compilePattern(pattern)).toThrow(`The pattern is invalid: ${words}.`);
  });
});

describe('compilePattern', () => {
  it('returns the same object for the same text, and different names for different texts', () => {
    expect(compilePattern('x+')).toBe(compilePattern('x+'));
    expect(String(compilePattern('x+'))).not.toBe(String(compilePattern('y+')));
  });

  it('caches a bounded number of patterns, and compiles removed ones again', () => {
    const first = compilePattern('first');
    // Texts that no other test compiles: a cached pattern removes none.
    for (let index = 0; index < 500; index++) compilePattern(`cached ${index}`);
    expect(compilePattern('first')).not.toBe(first);
    expect(compilePattern('first').test('the first')).toBe(true);
  });
});

describe('capture', () => {
  it('returns the first match with its groups', () => {
    expect(capture('b+', 'abbb')).toEqual({ match: 'bbb', groups: [], named: {} });
    expect(capture('(a)|(b)', 'xb')).toEqual({ match: 'b', groups: [null, 'b'], named: {} });
    expect(capture('(?<year>\\d+)-(?<month>\\d+)', 'on 2026-11')).toEqual({
      match: '2026-11',
      groups: ['2026', '11'],
      named: { year: '2026', month: '11' },
    });
    expect(capture('x', 'y')).toBeNull();
  });

  it('has the limits of matches', () => {
    expect(() => capture('(', 'y')).toThrow(expect.objectContaining({ code: 'config' }));
    expect(() => capture('x', 'y'.repeat(2 ** 21))).toThrow(expect.objectContaining({ code: 'input' }));
  });
});
