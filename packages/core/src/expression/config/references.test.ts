import { describe, expect, test } from 'vitest';
import { parseExpression } from '../parse.ts';
import { references, templateReferences } from './references.ts';
import { parseTemplate } from './template.ts';

function pathsOf(text: string): string[] {
  return references(parseExpression(text)).map(({ path, isOptional }) => `${path.join('.')}${isOptional ? '?' : ''}`);
}

describe('the paths that an expression names', () => {
  test.each([
    ["a + 'b'", ['a']],
    ['nodes.hook.payload["kind"]', ['nodes.hook.payload.kind']],
    ['a.items[i.j].name', ['a.items', 'i.j']],
    ['a.items[0].name', ['a.items']],
    ["{'x': [b.c]} if d else -e", ['b.c', 'd', 'e']],
    ['a | join(attribute=c, separator=b) ~ d', ['a', 'c', 'b', 'd']],
    ["a | map('replace', b, c)", ['a', 'b', 'c']],
    ['true and none', []],
  ])('%s', (text, paths) => {
    expect(pathsOf(text)).toEqual(paths);
  });

  test.each([
    ['a.b | default(c.d)', ['a.b?', 'c.d']],
    ['a.b is defined and a.b', ['a.b?', 'a.b']],
    ['a[b.c].d | default(1)', ['a?', 'b.c']],
    ['(a.b if c else d) | default(1)', ['a.b?', 'c', 'd?']],
    ['(a.b ~ 1) | default(1)', ['a.b']],
    ['a.b is none', ['a.b']],
  ])('%s marks the paths that may be missing', (text, paths) => {
    expect(pathsOf(text)).toEqual(paths);
  });

  test('have the offset of each key in the text', () => {
    const text = 'x ~ nodes.a["b"]';
    const [, second] = references(parseExpression(text));
    expect(second?.offsets.map((offset) => text.slice(offset))).toEqual(['nodes.a["b"]', 'a["b"]', '"b"]']);
  });

  test('are collected from all expressions of a template', () => {
    const found = templateReferences(parseTemplate('{{ a.b }} and {{ c }}'));
    expect(found.map(({ path, offsets }) => [path.join('.'), offsets[0]])).toEqual([
      ['a.b', 3],
      ['c', 17],
    ]);
    expect(templateReferences(parseTemplate('a.b'))).toEqual([]);
  });
});
