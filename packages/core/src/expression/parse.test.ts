import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renameNodeInText } from './config/rename.ts';
import { parseTemplate } from './config/template.ts';
import { type ExpressionError, ExpressionError as Failure } from './expression-error.ts';
import { maxExpressionLength, maxNesting, maxOperators } from './limits.ts';
import { parseExpression } from './parse.ts';

function failureOf(text: string): ExpressionError {
  try {
    parseExpression(text);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error(`'${text}' was accepted`);
}

describe('positions', () => {
  test('in errors are a line and column counted from 1', () => {
    const error = failureOf('a +\n  b | uper');
    expect(error).toMatchObject({ offset: 10, line: 2, column: 7, code: 'expression' });
    expect(error.message).toBe("There is no filter 'uper'. Did you mean 'upper'? (line 2, column 7)");
  });

  test('of every node match its text', () => {
    const { root, text } = parseExpression("[a.b['c'], -1] | join(', ')");
    expect(text.slice(root.offset, root.end)).toBe(text);
    expect(root).toMatchObject({ kind: 'filter', nameOffset: 17, input: { kind: 'list', offset: 0, end: 14 } });
  });
});

describe('invalid syntax is rejected with the correct form', () => {
  const cases: [string, string][] = [
    ['', 'The expression is empty.'],
    ['  ', 'The expression is empty.'],
    ['a b', "The expression cannot continue with 'b' here."],
    ['a +', 'The expression ends too early: a value is missing.'],
    ['a = 1', "Write '==' to compare."],
    ['a === 1', "Write '==' to compare."],
    ['a && b', "Write 'and' instead of '&&'."],
    ['a || b', "Write 'or' instead of '||', or one '|' before a filter."],
    ['!a', "Write 'not' instead of '!'."],
    ['a ?? b', "Write '| default(…)' instead of '??'."],
    ['a?.b', "Write '.' and a default: 'a.b | default(…)' instead of 'a?.b'."],
    ['#if a', "Blocks such as {{#if}} are not supported: write 'a if condition else b'."],
    ['{{ a }}', "Write '{{' and '}}' once around an expression, with two braces each."],
    ['a ? b : c', "Write 'a if condition else b' instead of 'condition ? a : b'."],
    ['a if b', "'a if b' requires 'else' and a value for the other case, e.g. else ''."],
    ['a < b < c', "Comparisons do not chain: write 'a < b and b < c', or put one of them in parentheses."],
    ['a not b', "After a value, 'not' must be followed by 'in', but found 'b'."],
    ['(1, 2)', "A list is written in brackets: '[1, 2]'."],
    ['range(3)', "Nothing can be called here. A filter is written 'value | name(…)'."],
    ['{a: 1}', "An object key must be text in quotes, but found 'a'."],
    ["{'a': 1, 'a': 2}", 'The object contains this key twice.'],
    ["'abc", "This text has no closing '."],
    ["'\\d'", 'A backslash in a text must be followed by one of'],
    ["'\\ud800'", 'This text contains half of a surrogate pair'],
    ['1e999', 'This number is too large.'],
    ['12px', 'This is neither a number nor a name'],
    ['a.2fa', 'This is neither a number nor a name'],
    ['a.', "Expected a name after '.', but found the end of the text."],
    ['a[]', "A key or an index is required between '[' and ']'."],
    ['a[1', "Expected ']' after a key or an index, but found the end of the text."],
    ['a $ b', "Names have no '$': write 'trigger.payload.<name>', 'vars.<name>' or '<node>.<port>'."],
    ['a | ', "Expected a filter after '|', e.g. 'upper', but found the end of the text."],
    ['a | join(sep=1)', "The filter 'join' has no argument 'sep'. It is written 'join(separator, attribute)'."],
    ['a | upper(1)', "The filter 'upper' has too many arguments. It is written 'upper'."],
    ["a | replace('x')", "The filter 'replace' needs 'new'."],
    ["a | join(',', separator=1)", "'separator' is given twice."],
    ["a | select('evn')", "There is no test 'evn'. Did you mean 'even'?"],
    ['a | select(even)', "Put the test's name in quotes"],
    ['a is defned', "There is no test 'defned'. Did you mean 'defined'?"],
    ['a is eq', "A comparison cannot follow 'is'"],
    ["a | map('replace', 'x')", "The filter 'replace' needs 'new'."],
  ];
  test.each(cases)('%s', (text, reason) => {
    expect(failureOf(text).reason).toContain(reason);
  });
});

describe('limits, checked before any recursion', () => {
  const deep = 2_000;
  test.each([
    ['parentheses', '('.repeat(deep)],
    ['lists', '['.repeat(deep)],
    ['objects', '{"a":'.repeat(deep)],
    ['signs', `${'-'.repeat(deep)}1`],
    ['not', `${'not '.repeat(deep)}a`],
    ['indexes', 'a['.repeat(deep)],
    ['conditions', `${'a if b else '.repeat(1_000)}c`],
    ['arguments', 'a|default('.repeat(1_000)],
  ])('restrict how deep %s nest', (_name, text) => {
    expect(failureOf(text).reason).toBe(`Brackets, signs and conditions nest at most ${maxNesting} deep.`);
  });

  test.each([
    ['operators', `1${'+1'.repeat(deep)}`],
    ['powers', `1${'**1'.repeat(deep)}`],
    ['keys', `a${'.b'.repeat(deep)}`],
    ['filters', `a${'|abs'.repeat(deep)}`],
    ['conjunctions', `a${' and a'.repeat(deep)}`],
  ])('restrict the number of %s', (_name, text) => {
    expect(failureOf(text).reason).toBe(`An expression has at most ${maxOperators} operators.`);
  });

  test('accept the longest expression and reject a longer one', () => {
    expect(parseExpression('a'.repeat(maxExpressionLength)).root).toMatchObject({ kind: 'name' });
    expect(failureOf('a'.repeat(maxExpressionLength + 1)).reason).toMatch('at most 16384 characters');
    expect(failureOf(`a${' '.repeat(maxExpressionLength)}+ b`).reason).toMatch('at most 16384 characters');
    expect(failureOf(`'${'a'.repeat(maxExpressionLength)}'`).reason).toMatch('within the length of an expression');
  });

  test('do not restrict the number of items in a list', () => {
    expect(parseExpression(`[${'1,'.repeat(8_000)}]`).root).toMatchObject({ kind: 'list' });
  });
});

describe('no text makes the parser throw anything but ExpressionError', () => {
  const word = fc.constantFrom(
    ...['a', 'nodes', 'x.y', '1', '2.5', "'t'", '"', "'", '\\', '(', ')', '[', ']', '{', '}', '{{', '}}', '|', 'upper'],
    ...[
      'default(',
      'map(',
      ',',
      ':',
      '.',
      '~',
      '+',
      '-',
      '*',
      '**',
      '//',
      '%',
      '==',
      '<',
      '=',
      '!',
      'and',
      'or',
      'not',
    ],
    ...[
      'in',
      'is',
      'defined',
      'if',
      'else',
      'none',
      'True',
      ' ',
      '\n',
      'é',
      '😀',
      '\u0000',
      '\ud800',
      '__proto__',
      '0',
      '..',
    ],
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(word, { maxLength: 30 }).map((words) => words.join('')),
  );

  test.each([
    ['expressions', (input: string) => parseExpression(input)],
    ['templates', (input: string) => parseTemplate(`{{ ${input}`)],
    ['renames', (input: string) => renameNodeInText(`{{${input}}}`, 'a', 'b')],
  ])('%s', (_name, read) => {
    fc.assert(
      fc.property(text, (input) => {
        try {
          read(input);
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

test.each([
  ['$json.name', "Write '<node>.<port>' of the node before"],
  ["$node['Fetch'].json", "Write '<node>.<port>', e.g. fetch.result, in place of '$node'."],
  ["$('Fetch').item", "in place of '$(…)'."],
  ['$input.first', "Write '<node>.<port>' of the node before, e.g. fetch.result, in place of '$input'."],
  ['$vars.key', "Write 'vars.<name>' in place of '$vars'."],
  ['$env.KEY', "Write 'vars.<name>' in place of '$env'"],
  ['$now', `Write 'now' | date("yyyy-MM-dd'T'HH:mm:ss") in place of '$now'.`],
  ['$anything', "Names have no '$': write 'trigger.payload.<name>'"],
  ['.Values.name', "An expression does not begin with '.': write 'trigger.payload.<name>'"],
  ['.', "An expression does not begin with '.'"],
])('a name of another product gets the right one: %s', (text, message) => {
  expect(() => parseExpression(text)).toThrow(message);
});
