import { parseYaml, Reader } from '@millrace/core';
import { expect, it } from 'vitest';
import { inlineText } from './test-file.ts';

/** Reads the text at a path of another text, with its line and column. */
function inline(text: string, ...path: readonly (string | number)[]) {
  const own = inlineText(text, readerOf(text), path);
  const document = parseYaml(own);
  const value = readerOf(own).jsonAt([]);
  expect(document.issues).toEqual([]);
  expect(value).toEqual(readerOf(text).jsonAt(path));
  return document.lines.placeOf(document.root?.offset ?? 0);
}

function readerOf(text: string): Reader {
  const document = parseYaml(text);
  if (document.root === null) throw new Error('the text cannot be read');
  return new Reader(document, document.root);
}

it.each<[string, readonly (string | number)[], number, number]>([
  ['a:\n  b: 1\n  c: d,\ne: 2\n', ['a'], 2, 3],
  ['e: 2\na:\n  b: 1\n\n# end', ['a'], 3, 3],
  ['e: 2\na: {b: [1, 2]}\nf: 3', ['a'], 2, 4],
  ['{a: {b: 1}, c: 2}', ['a'], 1, 5],
  ['l:\n  - b: 1\n    c: x-\n  - d: 2\n  - e: 3\nm: 1', ['l', 0], 2, 5],
  ['l:\n  - b: 1\n    c: x-\n  - d: 2\n  - e: 3\nm: 1', ['l', 2], 5, 5],
  ['l:\n- b: 1\n-\n  d: 2\n- e: 3\n', ['l', 0], 2, 3],
  ['l: [{a: 1}, {b: 2} , {c: 3}]\nm: 1', ['l', 1], 1, 13],
  ['l: [{a: 1}, {b: 2}]\nm: 1', ['l', 1], 1, 13],
  ['l: [{a: 1},\n  {b: [\n  2]}]', ['l', 1], 2, 3],
])('in %j the value at %j is a text of its own, with the same lines and columns', (text, path, line, column) => {
  expect(inline(text, ...path)).toEqual({ line, column });
});
