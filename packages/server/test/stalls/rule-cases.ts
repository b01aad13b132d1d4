import type { Json, JsonObject } from '@millrace/core';
import { deepValue, largeValue, longList, longText, nearMiss, wideObject } from './hostile-values.ts';
import type { Dice, MakeCase, RunCase, StepSketch } from './stall-case.ts';

/** Patterns that are slow in an engine that tries all ways, or make large programs. */
const patterns = [
  '(a|aa)+$',
  '(a*)*b',
  '(a|b|ab)*c',
  'a{500}b',
  '(x+x+)+y',
  '^(.*)+$',
  '(?:a?){200}a{200}',
  '[ab]*[ac]*[ad]*e',
];

function ruleOf(dice: Dice): { readonly operator: string; readonly v: Json; readonly w: Json; readonly value: Json } {
  const { text, part } = nearMiss(dice);
  const operator = dice.pick([
    'contains',
    'contains',
    'not_contains',
    'starts_with',
    'ends_with',
    'equals',
    'not_equals',
    'matches_regex',
    'matches_regex',
    'is_empty',
    'is_not_empty',
    'exists',
    'gt',
    'after',
    'length_gt',
  ]);
  if (operator === 'matches_regex') return { operator, v: text, w: 0, value: dice.pick(patterns) };
  if (operator.includes('contains') && dice.integer(1, 3) > 1) {
    const items = Array.from({ length: dice.size(10, 200) }, () => text.slice(0, 20_000));
    return { operator, v: items, w: `${text.slice(0, 19_999)}b`, value: '{{ trigger.payload.w }}' };
  }
  if (operator.includes('contains')) return { operator, v: text, w: part, value: '{{ trigger.payload.w }}' };
  if (operator.includes('equals')) {
    const v = largeValue(dice);
    return { operator, v, w: structuredClone(v), value: '{{ trigger.payload.w }}' };
  }
  const v = dice.pick([wideObject, longList, longText, deepValue])(dice);
  return { operator, v, w: text, value: '{{ trigger.payload.w }}' };
}

function rulesOf(count: number, rule: JsonObject): JsonObject[] {
  return Array.from({ length: count }, (_, index) => ({ id: `r${index}`, ...rule }));
}

/** Up to a hundred rules that all look at the same large value. */
const switchRules: MakeCase = (dice) => {
  const { operator, v, w, value } = ruleOf(dice);
  const field = dice.pick([
    'trigger.payload.v',
    'trigger.payload.v',
    'trigger.payload.v.missing',
    'trigger.payload.v|string',
  ]);
  const needsValue = !['is_empty', 'is_not_empty', 'exists'].includes(operator);
  const rules = rulesOf(dice.size(1, 100), { field, operator, ...(needsValue && { value }) });
  const type = dice.pick(['switch', 'switch', 'assertion']);
  return run(`${type}: ${rules.length} × ${operator} of ${field}`, { type, config: { rules } }, { v, w });
};

/** Many rules for each of many items. */
const filterItems: MakeCase = (dice) => {
  const operator = dice.pick([
    'gt',
    'equals',
    'contains',
    'matches_regex',
    'exists',
    'is_not_empty',
    'after',
    'not_equals',
  ]);
  const field = dice.pick([
    'item',
    'item',
    'id',
    'item|string',
    'name|default("")|upper',
    'item|string|list|sort|length',
  ]);
  const value =
    operator === 'matches_regex'
      ? dice.pick(patterns)
      : dice.pick<Json>([-1, 'm', '2020-01-01', '{{ trigger.payload.w }}']);
  const needsValue = !['is_not_empty', 'exists'].includes(operator);
  const rules = rulesOf(dice.size(1, 100), { field, operator, ...(needsValue && { value }) });
  const config = { rules };
  return listRun(`filter: ${rules.length} × ${operator} of ${field}`, { type: 'filter', config }, dice);
};

const aggregated: MakeCase = (dice) => {
  const operation = dice.pick(['count', 'sum', 'min', 'average', 'group', 'join']);
  const field = dice.pick([undefined, 'id', 'item|string', 'item|string|list|sort|join|length', 'missing|default(1)']);
  const group = dice.pick([undefined, 'item|string', 'id', 'group|default("")']);
  const group_by = group ?? (operation === 'group' ? 'item|string' : undefined);
  const config = {
    operation,
    ...(field !== undefined && { field }),
    ...(group_by !== undefined && { group_by }),
    ...(operation === 'join' && { separator: '{{ trigger.payload.w }}' }),
  };
  return listRun(`aggregator: ${operation} of ${field} by ${group_by}`, { type: 'aggregator', config }, dice);
};

function listRun(name: string, step: StepSketch, dice: Dice): RunCase {
  const list: StepSketch = { type: 'transform', config: { expression: 'trigger.payload.l' } };
  const w = dice.pick<Json>(['x', 7, longText(dice)]);
  return { kind: 'run', name, steps: [list, step], payload: { l: longList(dice), w } };
}

function run(name: string, step: StepSketch, payload: Json): RunCase {
  return { kind: 'run', name, steps: [step], payload };
}

/** Rules, and components that read lists. */
export const ruleCases: readonly MakeCase[] = [switchRules, filterItems, aggregated];
