import { describe, expect, test } from 'vitest';
import { completionsAt, type ExpressionNames } from './completions.ts';

const names: ExpressionNames = {
  nodes: [
    { id: 'fetch', label: 'Fetch orders', ports: [{ name: 'result', type: 'any', description: 'The body.' }] },
    { id: 'start', label: 'start', ports: [] },
  ],
  isInLoop: false,
  sample: { fetch: { result: { id: 7, 'full name': 'Ada', lines: [{ price: 2 }] } }, trigger: { payload: { n: 1 } } },
  functions: [{ name: 'upper', signature: '', description: 'The text in upper case.' }],
};

/** The suggestions at the sign `^` of a text. */
function at(marked: string, isBare = false) {
  const position = marked.indexOf('^');
  return completionsAt(marked.replace('^', ''), position, { isBare, names });
}
const labels = (marked: string, isBare = false) => at(marked, isBare)?.options.map(({ label }) => label) ?? null;

describe('the suggestions of an expression', () => {
  test.each([
    ['{{ ^ }}', ['fetch', 'start', 'trigger', 'vars', 'run']],
    ['{{ fe^ }}', ['fetch', 'start', 'trigger', 'vars', 'run']],
    ['{{ fetch.^ }}', ['result']],
    ['{{ nodes.fetch.^ }}', ['result']],
    ['{{ fetch.result.^ }}', ['id', 'full name', 'lines']],
    ['{{ fetch.result.lines[0].pr^ }}', ['price']],
    ['{{ trigger.^ }}', ['payload', 'text', 'content_type']],
    ['{{ trigger.payload.^ }}', ['n']],
    ['{{ fetch.result.id | ^ }}', ['upper']],
    ['{{ fetch.result.id | up^ }}', ['upper']],
    ['a {{ start }} and {{ trigger.payload.^ }}', ['n']],
  ])('at ^ of %j are %j', (marked, expected) => {
    expect(labels(marked)).toEqual(expected);
  });

  test.each([
    'fe^',
    'a {{ start }} ^',
    "{{ 'tex^ }}",
    '{{ 12^ }}',
    '{{ start.^ }}',
  ])('are none at ^ of %j', (marked) => {
    expect(labels(marked)).toBeNull();
  });

  test('exist without braces in a text that is an expression', () => {
    expect(labels('fetch.^', true)).toEqual(['result']);
  });

  test('show the value of the last run, and where the replaced text begins', () => {
    expect(at('{{ trigger.payload.n^ }}')).toEqual({ from: 19, options: [{ label: 'n', kind: 'key', detail: '1' }] });
  });

  test('contain the loop only in its body', () => {
    const inLoop = completionsAt('', 0, { isBare: true, names: { ...names, isInLoop: true } });
    expect(inLoop?.options.map(({ label }) => label)).toContain('loop');
  });
});
