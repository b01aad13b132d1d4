import fc from 'fast-check';
import { CORE_SCHEMA, load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { parseYaml } from './yaml-parse.ts';
import { keyOffsetOf, offsetOf, toJson } from './yaml-tree.ts';

function jsonOf(text: string) {
  const { root, issues } = parseYaml(text);
  expect(issues).toEqual([]);
  return root === null ? undefined : toJson(root);
}

function found(text: string): string[] {
  return parseYaml(text).issues.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`);
}

describe('a YAML text', () => {
  it('is parsed by the core schema of YAML 1.2', () => {
    const text =
      'a: [1, -2.5, 0x1F, 0o17, 1e3]\nb: [true, null, ~, yes, 2026-01-01, 1_000]\nc: {d: "1", e: }\nf: |\n  x\n  y\n';
    expect(jsonOf(text)).toEqual({
      a: [1, -2.5, 31, 15, 1000],
      b: [true, null, null, 'yes', '2026-01-01', '1_000'],
      c: { d: '1', e: null },
      f: 'x\ny\n',
    });
  });

  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', '9007199254740992'],
    ['+9007199254740993', '+9007199254740993'],
    ['0x1FFFFFFFFFFFFF', 9007199254740991],
    ['0x20000000000001', '0x20000000000001'],
    ['0o400000000000000001', '0o400000000000000001'],
    [`0x${'f'.repeat(300)}`, `0x${'f'.repeat(300)}`],
    ['1e400', '1e400'],
  ])('has a number that a double cannot hold as text: %s', (text, value) => {
    expect(jsonOf(`a: ${text}`)).toEqual({ a: value });
  });

  it('has keys as they are written', () => {
    expect(jsonOf('1: a\ntrue: b\nconstructor: c\n~: d')).toEqual({ 1: 'a', true: 'b', constructor: 'c', '~': 'd' });
  });

  it('has positions of its values and keys', () => {
    const text = 'name: x\nnodes:\n  - id: "a"\n    note:\n';
    const { root, lines } = parseYaml(text);
    if (root === null) throw new Error('not read');
    expect(lines.placeOf(offsetOf(root, ['nodes', 0, 'id']))).toEqual({ line: 3, column: 9 });
    expect(lines.placeOf(keyOffsetOf(root, ['nodes', 0, 'id']))).toEqual({ line: 3, column: 5 });
    expect(lines.placeOf(offsetOf(root, ['nodes', 0, 'note']))).toEqual({ line: 4, column: 5 });
    expect(lines.placeOf(offsetOf(root, ['nodes', 7, 'id']))).toEqual({ line: 3, column: 3 });
  });
});

describe('a YAML text with unsupported features', () => {
  it.each([
    [
      'a: &x 1\nb: *x',
      [
        '1:4 unsupported Anchors (&name) are not allowed: write the value out.',
        '2:4 unsupported Aliases (*name) are not allowed: write the value out.',
      ],
    ],
    ['a: !!str 1', ['1:4 unsupported Tags (!name) are not allowed: put text in quotes.']],
    ['a: !x {b: 1}', ['1:4 unsupported Tags (!name) are not allowed: put text in quotes.']],
    ['a: 1\nb: 2\na: 3', ["3:1 duplicate The key 'a' occurs twice."]],
    ['zip: 01234', ["1:6 unsupported '01234' would become the number 1234: put it in quotes, or write 1234."]],
    [
      'a: [+4915112345, -007]',
      [
        "1:5 unsupported '+4915112345' would become the number 4915112345: put it in quotes, or write 4915112345.",
        "1:18 unsupported '-007' would become the number -7: put it in quotes, or write -7.",
      ],
    ],
    ["01234: '01'", []],
    ['a: [0, -0.5, 0x01, "007", +1.5]', []],
    ['a: .inf', ["1:4 unsupported '.inf' is a number that JSON does not have."]],
    ['? [a]\n: 1', ['1:3 unsupported A key must be plain text.']],
    ['__proto__: 1', ["1:1 unsupported A key must not be '__proto__'."]],
    ['a: "\\0"', ['1:4 unsupported Text must not contain the character U+0000 or half of a surrogate pair.']],
    ['a: 1\n---\nb: 2', ['1:4 syntax The text holds more than one document.']],
    ['', ['1:1 syntax The text holds nothing.']],
    ['# only a comment', ['1:1 syntax The text holds nothing.']],
    ['a: [1', ['1:6 syntax This is not YAML: a bracket is opened and never closed.']],
    ['a: 1\n\tb: 2', ['2:1 syntax This is not YAML: lines are indented with spaces, not with tabs.']],
  ])('%j is rejected with their position', (text, issues) => {
    expect(found(text)).toEqual(issues);
  });
});

describe('text that is not YAML', () => {
  it.each([
    ['a: b: c', 'one that contains'],
    ['a: @b', 'begins with a character such as @'],
    ['- a\n -b: c', 'indentation'],
    ['- a\nb: c', 'nothing more may follow here'],
    ['{a: 1', 'a bracket is opened'],
    ["a: 'x", 'a quote is opened'],
    ['key: [}', 'a comma or a closing bracket'],
    ['"\\q"', 'in single quotes'],
    ['"\\x4"', 'in single quotes'],
    ['\u0001', 'a control character'],
    ['a: 1\nb\nc: 2', "a key has no ':'"],
    ['%YAML 3\n---\na: 1', 'begin with %'],
    ['%FOO\na: 1', 'begin with %'],
    ['a: !<', 'tags'],
    ['a: &', 'anchors'],
    ['a: |0\n x', '| or > may be followed by'],
  ])('is rejected with a helpful message: %j', (text, words) => {
    expect(found(text)).toEqual([expect.stringContaining(words)]);
    expect(found(text)[0]).not.toMatch(/scalar|mapping|collection|stream|flow|document/);
  });
});

describe('a text', () => {
  it('may be 256 KiB long, 64 levels deep, and hold 50,000 values', () => {
    const deep = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
    expect(found(deep(64))).toEqual([]);
    expect(found(deep(65))).toEqual(['1:66 too_large Values may be nested at most 64 levels deep.']);
    expect(found(`# ${'x'.repeat(256 * 1024 - 4)}\na`)).toEqual([]);
    expect(found(`# ${'x'.repeat(256 * 1024 - 3)}\na`)).toEqual(['1:1 too_large The text may have at most 256 KiB.']);
    expect(found(`# ${'ä'.repeat(128 * 1024)}\na`)).toEqual(['1:1 too_large The text may have at most 256 KiB.']);
    expect(found(`[${'1,'.repeat(49_990)}]`)).toEqual([]);
    expect(found(`[${'1,'.repeat(50_000)}]`)).toEqual([
      '1:1 too_large The text may hold at most 50000 values and lines.',
    ]);
  });
});

describe('every text', () => {
  it('is parsed as the YAML library parses it, if the result is JSON', () => {
    const scalar = fc.constantFrom(
      '1',
      '-0',
      '+1.5',
      '.5',
      '0x',
      '0o8',
      '1e5',
      'e5',
      '~',
      'Null',
      'TRUE',
      'no',
      '-',
      '.',
      'x',
      '"y"',
      "'z'",
      '0x1f',
      '1.',
      '-.inf',
      '.NaN',
    );
    fc.assert(
      fc.property(fc.array(scalar, { minLength: 1 }), (items) => {
        const text = items.map((item) => `- ${item === '-' ? "'-'" : item}\n`).join('');
        const { root } = parseYaml(text);
        const own = root === null ? null : toJson(root);
        const theirs = load(text, { schema: CORE_SCHEMA }) as unknown[];
        expect(own).toEqual(theirs.map((value) => (Object.is(value, -0) ? 0 : value)));
      }),
    );
  });

  it('of any kind produces a result and never an exception', () => {
    const piece = fc.constantFrom(
      'a',
      ': ',
      '- ',
      '\n',
      '  ',
      '[',
      ']',
      '{',
      '}',
      ',',
      '"',
      "'",
      '|',
      '>',
      '&a ',
      '*a ',
      '!t ',
      '#',
      '? ',
      '---',
      '...',
      '%',
      '\t',
      '@',
      '`',
      'ä',
      '\ud83d',
      '\0',
      '\r',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('');
        const { root, issues } = parseYaml(text);
        expect(root !== null || issues.length > 0).toBe(true);
        for (const { line, column } of issues)
          expect(line >= 1 && column >= 1 && line <= text.split('\n').length).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

it.each([
  ['a: {{ x }}', '1:4'],
  ['a: {{x}}', '1:4'],
  ["a: {{ x | default('y') }}", '1:4'],
  ["a: {{ 'x' }}", '1:4'],
  ['a: {{ x }} y', '1:12'],
  ['a: {{ x.y[0] }}', '1:10'],
  ['- {{ x }}', '1:3'],
  ['a: [{{ x }}, 1]', '1:5'],
  ['a: {b: {{ x }}}', '1:8'],
  ['a:\n  {{ x }}', '2:3'],
])('an expression without quotes is an error that asks for quotes: %j', (text, place) => {
  const [issue] = parseYaml(text).issues;
  expect([`${issue?.line}:${issue?.column}`, issue?.message]).toEqual([
    place,
    "Put a text that begins with an expression in quotes, e.g. url: '{{ trigger.payload.url }}'.",
  ]);
});

it.each(["a: '{{ x }}'", 'a: b {{ x }}', 'a: |\n  {{ x }}'])('an expression may stand in %j', (text) => {
  expect(parseYaml(text).issues).toEqual([]);
});
