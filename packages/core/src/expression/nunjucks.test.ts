import fc from 'fast-check';
import nunjucks from 'nunjucks';
import { expect, test } from 'vitest';
import type { Json } from '../json.ts';
import { evaluate } from './evaluate.ts';
import { parseExpression } from './parse.ts';

/**
 * Agreement with another implementation of Jinja's expressions on their common subset. Cases in which nunjucks deviates
 * from Jinja are excluded: JavaScript's truth of lists and objects, the precedence of `~` and of mixed `* / //`, the
 * remainder of negative numbers, `not` before a comparison, coercion between types, and `truncate` and `title`.
 */
const values = {
  n: 7,
  zero: 0,
  half: 0.5,
  s: 'Some text',
  e: '',
  l: [3, 1, 2],
  w: ['b', 'a'],
  o: { k: 1, t: 'v' },
  yes: true,
};

const environment = new nunjucks.Environment(null, { autoescape: false });

function oracle(text: string): Json {
  return JSON.parse(environment.renderString(`{{ (${text}) | dump }}`, values)) as Json;
}

function ours(text: string): Json {
  const names = new Map<string, Json>(Object.entries(values));
  return evaluate(parseExpression(text), { lookup: (name) => names.get(name), names: () => [...names.keys()] });
}

interface Grammar {
  readonly number: string;
  readonly text: string;
  readonly truth: string;
  readonly list: string;
  readonly words: string;
}

const { number, text, truth, list, words } = fc.letrec<Grammar>((tie: fc.LetrecTypedTie<Grammar>) => {
  const [num, str, bool, nums, strs] = [tie('number'), tie('text'), tie('truth'), tie('list'), tie('words')];
  const join = (...parts: (fc.Arbitrary<string> | string)[]) =>
    fc
      .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
      .map((written) => written.join(''));
  const oneOf = (...choices: string[]) => fc.constantFrom(...choices);
  const depth = { maxDepth: 4, withCrossShrink: true };
  return {
    number: fc.oneof(
      depth,
      oneOf('n', 'zero', 'half', '2', '3.25', 'o.k', "o['k']", 'l[0]', 'l[2]'),
      join(num, oneOf(' + ', ' - '), num),
      join('(', num, ')', oneOf(' * ', ' + '), '(', num, ')'),
      join('(', num, ')', oneOf(' / ', ' // '), oneOf('2', 'half', 'n')),
      join('((', num, ') | abs) % ', oneOf('2', '5')),
      join('((', num, ') | abs) ** ', oneOf('2', '1')),
      join('-', oneOf('n', '2', '(3 + 1)')),
      join('(', num, ') | abs'),
      join('(', nums, ') | ', oneOf('length', 'first', 'last', 'sum')),
      join('(', str, ') | length'),
      join('(', num, ' if ', bool, ' else ', num, ')'),
    ),
    text: fc.oneof(
      depth,
      oneOf('s', 'e', "'it\\'s'", '"q\\n"', 'o.t', 'w[1]'),
      join('(', str, ') ~ (', fc.oneof(str, num), ')'),
      join('(', str, ') | ', oneOf('upper', 'lower', 'capitalize', 'trim', 'reverse', 'string', "default('d')")),
      join('(', str, ") | replace('", oneOf('e', 't', 'me'), "', '", oneOf('', 'ee', '$&'), "')"),
      join('(', strs, ') | join(', oneOf('', "', '"), ')'),
      join('(', str, ' if ', bool, ' else ', str, ')'),
      join('missing | default(', str, ')'),
    ),
    truth: fc.oneof(
      depth,
      oneOf('yes', 'false', 'true'),
      join('(', num, ')', oneOf(' < ', ' <= ', ' > ', ' >= ', ' == ', ' != '), '(', num, ')'),
      join('(', str, ')', oneOf(' == ', ' != ', ' < '), '(', str, ')'),
      join(bool, oneOf(' and ', ' or '), bool),
      join('not (', bool, ')'),
      join('(', num, oneOf(') in (', ') not in ('), nums, ')'),
      join('(', str, oneOf(') in (', ') not in ('), fc.oneof(strs, str), ')'),
      join(oneOf("'k'", "'x'"), ' in o'),
    ),
    list: fc.oneof(
      depth,
      oneOf('l', '[1, 2]'),
      join('[', num, ', ', num, ']'),
      join('(', nums, ') | ', oneOf('sort', 'reverse', 'sort(true)')),
      join('(', nums, ') | ', oneOf('batch(2) | first', 'slice(2) | first')),
    ),
    words: fc.oneof(
      depth,
      oneOf('w', "['x', 'Y']"),
      join('[', str, ']'),
      join('(', strs, ') | ', oneOf('sort', 'reverse')),
    ),
  };
});

test('nunjucks produces the same values', () => {
  fc.assert(
    fc.property(fc.oneof(number, text, truth, list, words), (expression) => {
      // As JSON, which has no -0.
      expect(JSON.stringify(ours(expression))).toBe(JSON.stringify(oracle(expression)));
    }),
    { numRuns: 3_000 },
  );
});
