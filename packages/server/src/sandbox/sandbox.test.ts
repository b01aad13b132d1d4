import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { endingOf, returned, testSandbox } from './sandbox.testkit.ts';

const sandbox = testSandbox();
afterAll(() => sandbox.close());

describe('a value', () => {
  it.each([
    ['return 1', 1],
    ['return "ä\\ud83d\\ude00"', 'ä😀'],
    ['return -0', 0],
    ['return null', null],
    ['return', null],
    ['', null],
    ['return [1, [2], {}]', [1, [2], {}]],
    ['return { a: undefined, b: [undefined, , 1] }', { b: [null, null, 1] }],
    ['return new Date(0)', '1970-01-01T00:00:00.000Z'],
    ['class Point { x = 1; get y() { return 2 } }; return new Point()', { x: 1 }],
    ['return Object.assign(Object.create(null), { k: true })', { k: true }],
    ['return await Promise.all([1, Promise.resolve(2)])', [1, 2]],
    ['for await (const x of (async function* () { yield 5 })()) return x', 5],
    ['return { toJSON: () => 7 }', 7],
    // Numbers of a script are doubles already, so they are no text.
    ['return [2 ** 53, -1e20, 1e300, "12345678901234567890"]', [2 ** 53, -1e20, 1e300, '12345678901234567890']],
    ['return (await (async () => 3)()) // the last line is a comment', 3],
  ])('of %j is returned', async (source, value) => {
    expect(await returned(sandbox, source)).toEqual(value);
  });

  it.each([
    ['return { a: [() => 1] }', 'output.a[0] is a function, which is not JSON.'],
    ['return { "a-b": 1n }', 'output["a-b"] is a bigint, which is not JSON.'],
    ['return Symbol("s")', 'output is a symbol, which is not JSON.'],
    ['return [NaN]', 'output[0] is NaN, which is not JSON.'],
    ['return 1 / 0', 'output is Infinity, which is not JSON.'],
    ['return new Map([[1, 2]])', 'output is a Map, which is not JSON: make a plain object or array of it.'],
    ['return new Uint8Array(3)', 'output is a Uint8Array, which is not JSON: make a plain object or array of it.'],
    ['return new Error("x")', 'output is a Error, which is not JSON: make a plain object or array of it.'],
    ['const a = { b: {} }; a.b.c = a; return a', 'output.b.c contains itself.'],
    ['let a = 1; for (let i = 0; i < 65; i++) a = [a]; return a', 'The output nests deeper than 64 levels.'],
    ['return "x".repeat(2e6)', 'The output is larger than 1048576 characters of JSON.'],
    [
      'let a = 1; for (let i = 0; i < 60; i++) a = [a, a]; return a',
      'The output is larger than 1048576 characters of JSON.',
    ],
  ])('of %j is rejected with its path', async (source, message) => {
    expect(await endingOf(sandbox, source)).toEqual({ code: 'code_output', message });
  });
});

describe('the scope', () => {
  it('returns numbers and texts of digits as they were passed on', async () => {
    const input = { size: 1e20, id: '12345678901234567890' };
    expect(await returned(sandbox, 'return input', { scope: { input } })).toEqual(input);
  });

  it('has the names of a node, and values that belong to the code', async () => {
    const scope = { input: { a: [1] }, trigger: { text: 't' }, nodes: { n: { output: 2 } }, loop: { index: 3 } };
    const source = 'input.a.push(2); return [input, trigger.text, nodes.n.output, loop.index]';
    expect(await returned(sandbox, source, { scope })).toEqual([{ a: [1, 2] }, 't', 2, 3]);
    expect(scope.input.a).toEqual([1]);
  });

  it('treats keys with a meaning in the language as plain keys', async () => {
    const scope = { input: JSON.parse('{"__proto__": {"admin": true}, "constructor": 1}') };
    expect(await returned(sandbox, 'return [input.admin === undefined, Object.keys(input)]', { scope })).toEqual([
      true,
      ['__proto__', 'constructor'],
    ]);
    const echoed = await returned(sandbox, 'return input', { scope });
    expect(JSON.stringify(echoed)).toBe('{"__proto__":{"admin":true},"constructor":1}');
  });

  it('is rejected if it is too large to be sent', async () => {
    const scope = { input: 'x'.repeat(17_000_000) };
    expect(await endingOf(sandbox, 'return input.length', { scope })).toMatchObject({ code: 'input' });
    // A number counts as one character when it is measured, and as all its digits when it is written.
    const numbers = { input: Array.from({ length: 1_000_000 }, () => Math.E) };
    expect(await endingOf(sandbox, 'return input.length', { scope: numbers })).toMatchObject({ code: 'input' });
  });
});

describe('an error', () => {
  it.each([
    ['throw new TypeError("bad")', 'TypeError: bad (at line 1, column 7)'],
    ['\n\n  nope()', 'ReferenceError: nope is not defined (at line 3, column 3)'],
    [
      'const f = () => input.x.y;\nreturn f()',
      "TypeError: Cannot read properties of undefined (reading 'x') (at line 1, column 23)",
    ],
    ['throw "words"', 'The code threw words.'],
    ['throw null', 'The code threw null.'],
    ['throw { message: "m" }', 'Error: m'],
    ['await new Promise(() => {})', /waits for something that never happens/],
    ['Promise.reject(new Error("lost")); return 1', /caused an error that nothing caught: lost/],
    ['unknown = 1', 'ReferenceError: unknown is not defined (at line 1, column 9)'],
  ])('of %j has the position in the code', async (source, message) => {
    const ending = await endingOf(sandbox, source);
    expect(ending).toMatchObject({ code: 'code_error' });
    expect(ending.message).toMatch(message);
  });

  it.each([
    ['let x = ;', "SyntaxError: Unexpected token ';' (at line 1, column 9)"],
    ['return 1;\n  if (', "SyntaxError: Unexpected token '}' (at the end of the code)"],
    ['} evil(); {', "SyntaxError: Unexpected identifier 'evil' (at line 1, column 3)"],
    ['}); globalThis.evil = 1; (async function () {', /closes a bracket that it did not open/],
    ['with (input) {}', 'SyntaxError: Strict mode code may not include a with statement (at line 1, column 1)'],
    ['import fs from "node:fs"', 'SyntaxError: Cannot use import statement outside a module (at line 1, column 1)'],
  ])('in the syntax of %j has its position', async (source, message) => {
    const ending = await endingOf(sandbox, source);
    expect(ending).toMatchObject({ code: 'code_syntax' });
    expect(ending.message).toMatch(message);
  });
});

describe('TypeScript', () => {
  const language = 'typescript';

  it('runs without its types', async () => {
    const source =
      'type Row = { n: number };\nconst rows = input as Row[];\nreturn rows.map((row: Row): number => row.n);';
    expect(await returned(sandbox, source, { language, scope: { input: [{ n: 1 }] } })).toEqual([1]);
  });

  it.each([
    ['\n  enum Color { Red }', 'TypeScript enum is not supported: only types are removed (at line 2, column 3)'],
    [
      'const é: string = "é"; namespace N { export const a = 1 }',
      /namespace declaration is not supported.*line 1, column 24/,
    ],
    ['let x: = 1', /Unexpected token `=`.*\(at line 1, column 8\)/],
    [`return ${'['.repeat(60_000)}`, 'The TypeScript cannot be read: it nests too deep.'],
    ['} globalThis.evil = 1; async function more() {', /closes a bracket|Unexpected|SyntaxError/],
  ])('that is more than types (%#) is rejected with its position', async (source, message) => {
    const ending = await endingOf(sandbox, source, { language });
    expect(ending).toMatchObject({ code: 'code_syntax' });
    expect(ending.message).toMatch(message);
    expect(await returned(sandbox, 'return 1 as number', { language })).toBe(1);
  });

  it('keeps the positions of errors', async () => {
    expect(await endingOf(sandbox, 'const a: number = 1;\n(a as any).b.c', { language })).toMatchObject({
      message: "TypeError: Cannot read properties of undefined (reading 'c') (at line 2, column 14)",
    });
  });
});

describe('the console', () => {
  it('stores lines in readable form', async () => {
    const source = 'console.log("a", 1, { b: [null] }, undefined); console.error(new Map); return 1';
    const { lines } = await endingOf(sandbox, source);
    expect(lines).toEqual(['a 1 {"b":[null]} undefined', expect.stringContaining('Map')]);
  });

  it.each([
    'console.log("before"); throw new Error("x")',
    'console.log("before"); return 1n',
    'console.log("before"); Promise.reject(new Error("lost")); return 1',
    'console.log("before"); await new Promise(() => {})',
  ])('stores the lines of code that fails: %s', async (source) => {
    expect(await endingOf(sandbox, source)).toMatchObject({ code: expect.stringMatching(/^code_/), lines: ['before'] });
  });

  it.each([
    // Five seconds are a thousand times as long as the output of the lines takes.
    ['code_timeout', 'for (;;) {}', 5],
    ['code_memory', 'const all = []; for (;;) all.push(new Array(1e5).fill(0.5))', 300],
  ])('stores the lines of code that is stopped: %s by %s', async (code, source, seconds) => {
    const own = testSandbox({ limits: { seconds, memoryMb: 64 } });
    onTestFinished(() => own.close());
    const parsedLine = 'console.log("before"); for (let i = 0; i < 150; i++) console.log(String(i).repeat(5000));';
    const { lines = [], ...ending } = await endingOf(own, `${parsedLine} ${source}`);
    expect(ending).toMatchObject({ code });
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([
      101,
      'before',
      expect.stringMatching(/only the first 100/),
    ]);
    // They belong to that script and to no later one.
    expect(await endingOf(own, 'console.log("next"); return 1')).toEqual({ value: 1, lines: ['next'] });
  });

  it('stores a hundred lines of a thousand characters', async () => {
    const { lines = [] } = await endingOf(sandbox, 'for (let i = 0; i < 1e5; i++) console.log(String(i).repeat(5000))');
    expect(lines).toHaveLength(101);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(1001);
    expect(lines.at(-1)).toMatch(/only the first 100 lines/);
  });
});
