import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../json.ts';
import { ExpressionError } from '../expression-error.ts';
import type { Scope } from '../scope.ts';
import { parseTemplate, renderTemplate } from './template.ts';

const values = new Map<string, Json>([
  ['n', 5],
  ['yes', true],
  ['nothing', null],
  ['order', { id: 7, lines: ['a'] }],
  ['hostile', '{{ n }}'],
]);
const scope: Scope = { lookup: (name) => values.get(name), names: () => [...values.keys()] };

function rendered(text: string): Json {
  return renderTemplate(parseTemplate(text), scope);
}

describe('one expression keeps its type', () => {
  test.each<[string, Json]>([
    ['{{ n }}', 5],
    ['{{n}}', 5],
    [' \n{{ yes }}\t', true],
    ['{{ nothing }}', null],
    ["{{ {'a': {'b': order.lines}} }}", { a: { b: ['a'] } }],
    ["{{ {'a': {'b': 1}}}}", { a: { b: 1 } }],
    ["{{{'a': 1}}}", { a: 1 }],
    ["{{ '}}' }}", '}}'],
    ["{{ '{{' }}", '{{'],
  ])('%s', (text, expected) => {
    expect(parseTemplate(text).kind).toBe('expression');
    expect(rendered(text)).toEqual(expected);
  });

  test('an object stays the identical object', () => {
    expect(rendered('{{ order }}')).toBe(values.get('order'));
  });
});

describe('mixed text', () => {
  test.each([
    ['Order {{ order.id }} of {{ n }}', 'Order 7 of 5'],
    ['{{ n }}{{ n }}', '55'],
    ['{{ yes }}, {{ nothing }}, {{ order }}', 'true, null, {"id":7,"lines":["a"]}'],
    ["a {{ '}}' }} b }} c { d", 'a }} b }} c { d'],
    ["{{ '{%' }} if a %}{{ '{#' }} b #}{{ n }}", '{% if a %}{# b #}5'],
    ['100{% {# {{ n }}', '100{% {# 5'],
    ["a{{ nothing | default('x') }}b{{ nothing | d }}c{{ gone.x | default('y') }}", 'axbcy'],
    ['a{{ nothing | default(n) }}', 'a5'],
  ])('%s', (text, expected) => {
    expect(parseTemplate(text).kind).toBe('mixed');
    expect(rendered(text)).toBe(expected);
  });

  test('a value is never evaluated a second time', () => {
    expect(rendered('{{ hostile }}')).toBe('{{ n }}');
    expect(rendered('<{{ hostile }}>')).toBe('<{{ n }}>');
  });
});

test('text without braces is unchanged', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!text.includes('{{'));
      expect(parseTemplate(text)).toEqual({ kind: 'static', text });
      expect(rendered(text)).toBe(text);
    }),
  );
});

test('any text can be written as an expression', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(rendered(`{{ ${JSON.stringify(text)} }}`)).toBe(text);
      expect(rendered(`a{{ ${JSON.stringify(text)} }}`)).toBe(`a${text}`);
    }),
  );
});

describe('an invalid template', () => {
  test.each([
    ['a {{ b', "This '{{' has no closing '}}'", 2],
    ['a {{', "This '{{' has no closing '}}'", 2],
    ['{{ n }} {{ n }', "The expression cannot continue with '}' here.", 13],
    ['a {{ }}', 'The expression is empty.', 5],
    ['{{- n }}', "Put a space between '{{' and '-'; white space is not trimmed.", 2],
    ['{{ n -}}', "The expression cannot continue with '}' here.", 6],
    ['{{{ n }}}', "Write '{{' and '}}' once around an expression", 4],
    ['{{ {{ n }} }}', "Write '{{' and '}}' once around an expression", 4],
    ['{{#if n}}', 'Blocks such as {{#if}} are not supported', 2],
    ['{{ a\n {{ b }}', "The expression cannot continue with '{' here.", 6],
  ])('%s', (text, reason, offset) => {
    try {
      parseTemplate(text);
    } catch (error) {
      expect(error).toBeInstanceOf(ExpressionError);
      expect(error).toMatchObject({ reason: expect.stringContaining(reason), offset });
      return;
    }
    throw new Error('it was read');
  });

  test('is one whose text or rendered result is too long', () => {
    expect(() => parseTemplate(`{{ n }}${' '.repeat(1_048_576)}`)).toThrow('at most 1048576 characters');
    const half = '-'.repeat(600_000);
    values.set('half', half);
    expect(rendered('{{ half }}!')).toBe(`${half}!`);
    expect(() => rendered('{{ half }}{{ half }}')).toThrow('The text would be longer than 1048576 characters.');
  });

  test('reports an evaluation error at its position in the whole text', () => {
    expect(() => rendered('one\ntwo {{ m }}')).toThrow("There is no 'm' here. (line 2, column 8)");
  });
});

describe('blocks of Jinja outside of expressions', () => {
  test.each([
    ['{% if a %}b{% endif %}', 0, "'{% … %}' is not supported: write {{ a if condition else b }}"],
    ['text {%- for x in y -%}', 5, "'{% … %}' is not supported"],
    ['{{ n }} {% set a = {{ n }} %}', 8, "'{% … %}' is not supported"],
    ['{% if a', 0, "'{% … %}' is not supported"],
    ['100{% {{ n }} {%- for x in y', 14, "'{% … %}' is not supported"],
    ['{# a comment #}{{ n }}', 0, "Comments, '{# … #}', are not supported"],
    ['line\n{#- a -#}', 5, "Comments, '{# … #}', are not supported"],
  ])('are errors: %j', (text, offset, message) => {
    const error = expect.objectContaining({ code: 'expression', offset, message: expect.stringContaining(message) });
    expect(() => parseTemplate(text)).toThrow(error);
    const errors: unknown[] = [];
    parseTemplate(text, (each) => errors.push(each));
    expect(errors).toContainEqual(error);
  });

  test.each([
    '{% never closed',
    '{% iff',
    'a %} b {% c',
    '{# never closed',
    'div{#id: 1}',
    '%}{%',
    '{',
    '100 %',
  ])('are not %j', (text) => {
    expect(parseTemplate(text)).toEqual({ kind: 'static', text });
  });
});

test('null as a whole value stays null, although `default` follows', () => {
  expect(rendered("{{ nothing | default('x') }}")).toBeNull();
  expect(rendered("{{ nothing | default('x', true) }}")).toBe('x');
});
