import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { own } from '../json.ts';
import { type Rule, routeRule, rule, ruleHolds } from './rules.ts';

const names: JsonObject = { trigger: { payload: { n: 5, empty: '' } } };
const scope = { lookup: (name: string) => own(names, name), names: () => Object.keys(names) };
const ports = { matches: () => false };
const holds = (rule: Rule) => ruleHolds(rule, scope, ports);

describe('a rule', () => {
  it('tests the value that its field names', () => {
    expect(holds({ field: 'trigger.payload.n', operator: 'gte', value: 5 })).toBe(true);
    expect(holds({ field: 'trigger.payload.n', operator: 'lt', value: '5' })).toBe(false);
  });

  it('may test whether its field exists or is empty, at any depth', () => {
    for (const field of ['nobody', 'trigger.payload.x', 'trigger.payload.x.y.z', 'trigger.payload.n.digits']) {
      expect(holds({ field, operator: 'exists' })).toBe(false);
      expect(holds({ field, operator: 'does_not_exist' })).toBe(true);
      expect(holds({ field, operator: 'is_empty' })).toBe(true);
      expect(holds({ field, operator: 'is_not_empty' })).toBe(false);
    }
  });

  it('cannot test anything else of a field that does not exist', () => {
    for (const operator of ['equals', 'not_equals', 'gt', 'after', 'is_true', 'length_eq'] as const) {
      expect(() => holds({ field: 'trigger.payload.x', operator, value: 1 })).toThrow(
        expect.objectContaining({ code: 'expression' }),
      );
    }
  });

  it('has a field that can be parsed, with any operator', () => {
    for (const operator of ['exists', 'equals'] as const) {
      expect(() => holds({ field: 'trigger.', operator, value: 1 })).toThrow(
        expect.objectContaining({ code: 'expression' }),
      );
    }
  });
});

describe('a stored rule', () => {
  it('has a value if its operator compares with one', () => {
    expect(rule.safeParse({ field: 'a', operator: 'gt' }).error?.issues[0]?.path).toEqual(['value']);
    expect(rule.safeParse({ field: 'a', operator: 'equals', value: null }).success).toBe(true);
    expect(rule.safeParse({ field: 'a', operator: 'is_true' }).success).toBe(true);
  });

  it('has an id if it is a route', () => {
    expect(rule.safeParse({ field: 'a', operator: 'exists' }).success).toBe(true);
    expect(routeRule.safeParse({ field: 'a', operator: 'exists' }).success).toBe(false);
    expect(routeRule.safeParse({ id: 'r', label: 'R', field: 'a', operator: 'exists' }).success).toBe(true);
  });
});
