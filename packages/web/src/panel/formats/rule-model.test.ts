import { operatorFamilies } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import { ruleLack, takesValue } from '../fields/missing.ts';
import { operatorGroups, ruleValue, valueText, withOperator } from './rule-model.ts';

test('the form offers every operator of the language once', () => {
  const offered = operatorGroups.flatMap(([, operators]) => operators.map(([operator]) => operator));
  expect(offered.sort()).toEqual(Object.values(operatorFamilies).flat().sort());
});

describe('a rule', () => {
  test('loses its value with an operator that takes none, and its number becomes text or the reverse', () => {
    expect(withOperator({ field: 'a', value: 5 }, 'exists')).toEqual({ field: 'a', operator: 'exists' });
    expect(withOperator({ field: 'a', value: '5' }, 'gt')).toEqual({ field: 'a', operator: 'gt', value: 5 });
    expect(withOperator({ field: 'a', value: 5 }, 'equals')).toEqual({ field: 'a', operator: 'equals', value: '5' });
  });

  test.each([
    [{}, true, 'a route'],
    [{ id: 'x' }, true, 'a field'],
    [{}, false, 'a field'],
    [{ field: 'a' }, false, 'an operator'],
    [{ field: 'a', operator: 'gt' }, false, 'a value'],
    [{ field: 'a', operator: 'exists' }, false, null],
    [{ field: 'a', operator: 'gt', value: 0 }, false, null],
  ])('%j (routing: %s) lacks %j', (rule, isRouting, lack) => {
    expect(ruleLack(rule, isRouting)).toBe(lack);
  });

  test.each([
    ['30', 'gt', 30],
    ['{{ trigger.payload.limit }}', 'gt', '{{ trigger.payload.limit }}'],
    ['30', 'equals', '30'],
    ['', 'equals', undefined],
    ['2', 'length_gt', 2],
    ['9007199254740993', 'gt', '9007199254740993'],
    ['7.0', 'gte', '7.0'],
    ['0x10', 'gt', '0x10'],
  ])('with the text %j for %s has the value %j', (text, operator, value) => {
    expect(ruleValue(text, operator)).toEqual(value);
    expect(valueText(value)).toBe(text);
  });

  test('takes a value unless its operator tests the field alone', () => {
    expect([takesValue('equals'), takesValue('is_true')]).toEqual([true, false]);
  });
});
