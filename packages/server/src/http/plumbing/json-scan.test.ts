import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkJsonLimits } from './json-scan.ts';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

const plenty = 1_000_000;

/** Whether a text passes with these limits. */
function passes(text: string, depth: number, values: number, stringBytes = plenty): boolean {
  try {
    checkJsonLimits(Buffer.from(text), { depth, values, stringBytes });
    return true;
  } catch {
    return false;
  }
}

// Texts and keys with brackets, quotes and backslashes, which a scan could mistake for structure.
const text = fc.string({
  unit: fc.constantFrom('"', '\\', '[', '{', ']', '}', ',', ':', 'a', 'é', '😀', '\n'),
  maxLength: 8,
});
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
}));

describe('the scan of a JSON text', () => {
  it('measures the depth of the value, whatever its texts contain', () => {
    fc.assert(
      fc.property(value, fc.integer({ min: 0, max: 3 }), (document, indent) => {
        const json = JSON.stringify(document, null, indent);
        const depth = depthOf(document);
        expect(passes(json, depth, plenty)).toBe(true);
        if (depth > 0) expect(passes(json, depth - 1, plenty)).toBe(false);
      }),
    );
  });

  it('counts values, with a deviation of at most one per container', () => {
    expect(passes('[1,2,3]', 5, 4)).toBe(true);
    expect(passes('[1,2,3]', 5, 3)).toBe(false);
    expect(passes('{"a":{"b":[]}}', 5, 4)).toBe(true);
    expect(passes('"a,b,c"', 5, 1)).toBe(true);
  });

  it('measures each string separately, including keys, in its escaped form', () => {
    expect(passes('["abc","de"]', 5, 9, 4)).toBe(true);
    expect(passes('["abcd","de"]', 5, 9, 4)).toBe(false);
    expect(passes('{"abcd":1}', 5, 9, 4)).toBe(false);
    expect(passes('["\\"\\""]', 5, 9, 4)).toBe(false);
    expect(passes('"abcdef', 5, 9, 4)).toBe(false);
    expect(passes('[123456,true,null]', 5, 9, 4)).toBe(true);
  });

  it('terminates for any bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        (bytes) => void checkJsonLimits(bytes, { depth: plenty, values: plenty, stringBytes: plenty }),
      ),
    );
  });
});
