import { exactJsonText } from '@millrace/core/editing';
import type { FieldRules } from '../../state/fields/field-draft.ts';
import { takesValue } from '../fields/missing.ts';
import { typedNumber } from './typed-number.ts';
import { type Values, withKey } from './values.ts';

/** The operators of rules by the values that they compare, with their text in a form. */
export const operatorGroups: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    'Text',
    [
      ['equals', 'is'],
      ['not_equals', 'is not'],
      ['contains', 'contains'],
      ['not_contains', 'does not contain'],
      ['starts_with', 'starts with'],
      ['not_starts_with', 'does not start with'],
      ['ends_with', 'ends with'],
      ['not_ends_with', 'does not end with'],
      ['matches_regex', 'matches the pattern'],
      ['not_matches_regex', 'does not match the pattern'],
    ],
  ],
  [
    'Number',
    [
      ['gt', 'is greater than'],
      ['gte', 'is at least'],
      ['lt', 'is less than'],
      ['lte', 'is at most'],
    ],
  ],
  [
    'Any value',
    [
      ['exists', 'exists'],
      ['does_not_exist', 'does not exist'],
      ['is_empty', 'is empty'],
      ['is_not_empty', 'is not empty'],
    ],
  ],
  [
    'Time',
    [
      ['after', 'is after'],
      ['before', 'is before'],
      ['after_or_equal', 'is at or after'],
      ['before_or_equal', 'is at or before'],
    ],
  ],
  [
    'Yes or no',
    [
      ['is_true', 'is true'],
      ['is_false', 'is false'],
    ],
  ],
  [
    'List',
    [
      ['length_eq', 'has as many items as'],
      ['length_neq', 'has not as many items as'],
      ['length_gt', 'has more items than'],
      ['length_lt', 'has fewer items than'],
      ['length_gte', 'has at least so many items'],
      ['length_lte', 'has at most so many items'],
    ],
  ],
];

const ofNumbers: ReadonlySet<unknown> = new Set(['gt', 'gte', 'lt', 'lte']);

/** The rule with another operator. A value that the operator does not take is removed. */
export function withOperator(rule: Values, operator: string): Values {
  const changed = withKey(rule, 'operator', operator);
  if (!takesValue(operator)) return withKey(changed, 'value', undefined);
  const { value } = rule;
  return value === undefined ? changed : withKey(changed, 'value', ruleValue(valueText(value), operator));
}

/** The value that a text means for an operator: a number for those that compare numbers or count items. */
export function ruleValue(text: string, operator: unknown): unknown {
  if (text === '') return undefined;
  const wantsNumber = ofNumbers.has(operator) || String(operator).startsWith('length_');
  return (wantsNumber ? typedNumber(text) : null) ?? text;
}

/** How the value that an operator compares with is typed. */
export function valueRules(operator: unknown): FieldRules {
  return {
    value: { read: (text) => ({ value: ruleValue(text, operator) }), show: valueText },
    expression: null,
    sharesText: true,
    opensOnBraces: false,
    modeOf: () => 'value',
  };
}

/** The text of a rule's value. */
export function valueText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : exactJsonText(value);
}
