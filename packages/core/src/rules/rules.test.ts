import { describe, expect, it } from 'vitest';
import { Meter } from '../base/meter.ts';
import type { Json, JsonObject } from '../json.ts';
import { own } from '../json.ts';
import { type Rule, routeRule, rule, ruleHolds } from './rules.ts';

const names: JsonObject = { trigger: { payload: { n: 5, empty: '' } } };
const scope = { lookup: (name: string) => own(names, name), names: () => Object.keys(names) };
const ports = { matches: () => false, meter: new Meter(() => 0) };
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

describe('the work of rules', () => {
  const holdsFor = (rule: Rule, payload: Json, steps?: number) => {
    const meter = new Meter(() => 0, steps);
    const lookup = (name: string) => (name === 'payload' ? payload : undefined);
    return () => ruleHolds(rule, { lookup, names: () => ['payload'] }, { ...ports, meter });
  };
  const workLimit = expect.objectContaining({ code: 'work_limit' });
  const text = 'a'.repeat(1_048_576);
  const list = Array.from({ length: 100 }, () => text);

  it.each<[Rule, Json]>([
    [{ field: 'payload', operator: 'contains', value: `${'a'.repeat(100_000)}b` }, text],
    [{ field: 'payload', operator: 'starts_with', value: text }, text],
    [{ field: 'payload', operator: 'equals', value: `${text.slice(1)}b` }, text],
    [{ field: 'payload', operator: 'contains', value: `${text.slice(1)}b` }, list],
    [{ field: 'payload', operator: 'equals', value: list.map((item) => `${item.slice(1)}a`) }, list],
    [{ field: 'payload', operator: 'matches_regex', value: 'a*b' }, text],
    [{ field: 'payload | sort | length', operator: 'exists' }, list],
    [{ field: 'payload | join | length', operator: 'is_empty' }, list],
  ])('is charged to the attempt before it is done: %o', (rule, payload) => {
    expect(holdsFor(rule, payload, 10)).toThrow(workLimit);
  });

  it('finds a part of a text in linear time', () => {
    // Compared at each place, this would take many minutes.
    const part = `${'a'.repeat(500_000)}b${'a'.repeat(10)}`;
    expect(holdsFor({ field: 'payload', operator: 'contains', value: part }, text)()).toBe(false);
    expect(holdsFor({ field: 'payload', operator: 'contains', value: part }, `${text}b${text}`)()).toBe(true);
  });
});
