import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../json.ts';
import { renameNodeInConfig, renameNodeInExpression, renameNodeInText } from './rename.ts';

describe('renaming a node in text', () => {
  test.each([
    ['{{ old.output }}', '{{ new.output }}'],
    ['{{old}} and {{ nodes.old.output.old }}', '{{new}} and {{ nodes.new.output.old }}'],
    [`{{ nodes['old'].x ~ nodes[ "old" ].y }}`, `{{ nodes['new'].x ~ nodes[ "new" ].y }}`],
    ["{{ nodes['\\x6fld'].x }}", "{{ nodes['new'].x }}"],
    ['{{ old  .  x  |  default( old.y )}}', '{{ new  .  x  |  default( new.y )}}'],
    ['{{ a | join(attribute=old.b, separator=old.a) }}', '{{ a | join(attribute=new.b, separator=new.a) }}'],
    ['{{ [old[0], {"old": old}] }}', '{{ [new[0], {"old": new}] }}'],
  ])('%s', (text, expected) => {
    expect(renameNodeInText(text, 'old', 'new')).toBe(expected);
  });

  test.each([
    'old.output',
    "{{ 'old.output' }}",
    '{{ trigger.old.nodes.old }}',
    '{{ older.x ~ a.old ~ x["old"] }}',
    '{{ old.x | }} and {{ broken',
    '{{ nodes[old_name].x }}',
  ])('%s is unchanged', (text) => {
    expect(renameNodeInText(text, 'old', 'new')).toBe(text);
  });

  test('renames in valid expressions and leaves invalid ones unchanged', () => {
    expect(renameNodeInText('{{ old. }} {{ old.x }} {{ old', 'old', 'new')).toBe('{{ old. }} {{ new.x }} {{ old');
  });

  test('treats a reserved name as a node only under nodes', () => {
    expect(renameNodeInText('{{ trigger.x ~ nodes.trigger.x }}', 'trigger', 'start')).toBe(
      '{{ trigger.x ~ nodes.start.x }}',
    );
  });

  test.each(['loop', 'not', 'true', 'nodes'])('writes the new name %s in its long form', (to) => {
    expect(renameNodeInText('{{ old.x ~ nodes.old.x }}', 'old', to)).toBe(`{{ nodes.${to}.x ~ nodes.${to}.x }}`);
  });
});

test('bare expressions are renamed with and without braces', () => {
  expect(renameNodeInExpression('old.x > 1', 'old', 'new')).toBe('new.x > 1');
  expect(renameNodeInExpression(' {{ old.x }}', 'old', 'new')).toBe(' {{ new.x }}');
  expect(renameNodeInExpression('old.x >', 'old', 'new')).toBe('old.x >');
});

describe('renaming a node in a config', () => {
  const config = {
    text: 'old {{ old.x }}',
    expression: 'old.x',
    rules: [{ field: 'old.x', value: '{{ old.x }}' }],
    code: '{{ old.x }}',
    kept: { a: [1] },
  };

  test('respects how the text at each key is read', () => {
    const options = { bareExpressions: ['expression', 'rules.*.field'], verbatim: ['rules.*.field', 'code'] };
    const renamed = renameNodeInConfig(config, 'old', 'new', options);
    expect(renamed).toEqual({
      text: 'old {{ new.x }}',
      expression: 'new.x',
      rules: [{ field: 'new.x', value: '{{ new.x }}' }],
      code: '{{ old.x }}',
      kept: { a: [1] },
    });
    expect(Object.keys(renamed as object)).toEqual(Object.keys(config));
  });

  test('returns the same object if nothing changes', () => {
    expect(renameNodeInConfig(config, 'other', 'new')).toBe(config);
  });
});

describe('properties of a rename', () => {
  const piece = fc.constantFrom(
    ...[
      '{{',
      '}}',
      ' ',
      'old',
      'old.x',
      'nodes.old',
      "nodes['old']",
      ' ~ ',
      "'old'",
      'b.old',
      '| upper',
      '[0]',
      'text',
      '😀',
    ],
  );
  const text = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(''));

  test('renaming to another name and back changes nothing', () => {
    fc.assert(
      fc.property(text, (before) => {
        const after = renameNodeInText(before, 'old', 'a_new_name');
        expect(renameNodeInText(after, 'a_new_name', 'old')).toBe(before);
      }),
      { numRuns: 2_000 },
    );
  });

  test('renaming a name that does not occur changes nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue() as fc.Arbitrary<Json>, text, (json, expression) => {
        const config = [json, expression];
        expect(renameNodeInConfig(config, 'absent', 'new', { bareExpressions: ['*'] })).toBe(config);
      }),
    );
  });
});
