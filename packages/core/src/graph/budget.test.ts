import { describe, expect, it } from 'vitest';
import { type Budget, budgetField, exceededBudget, periodOf } from './budget.ts';

const budget = (part: Partial<Budget>): Budget => ({ tokens: null, usd: null, period: 'month', ...part });
const at = (text: string) => Date.parse(`${text}Z`);

describe('the period of a budget', () => {
  it.each([
    ['month', '2026-01-31T23:59:59.999', '2026-01-01', '2026-02-01'],
    ['month', '2026-12-01T00:00:00', '2026-12-01', '2027-01-01'],
    ['month', '2028-02-29T12:00:00', '2028-02-01', '2028-03-01'],
    ['day', '2026-02-28T00:00:00', '2026-02-28', '2026-03-01'],
    ['day', '2026-12-31T23:59:59.999', '2026-12-31', '2027-01-01'],
  ] as const)('of one %s that contains %s begins on %s and ends before %s', (period, now, since, next) => {
    expect(periodOf(budget({ period }), at(now))).toEqual({ since, until: at(`${next}T00:00:00`) });
  });
});

describe('a budget', () => {
  it('is exceeded by more than it allows, and not by exactly that', () => {
    expect(exceededBudget(budget({ tokens: 10 }), { tokens: 10, usd: 99 })).toBe(null);
    expect(exceededBudget(budget({ tokens: 10 }), { tokens: 11, usd: 0 })).toBe('10 tokens');
    expect(exceededBudget(budget({ usd: 1.5 }), { tokens: 99, usd: 1.5 })).toBe(null);
    expect(exceededBudget(budget({ usd: 1.5, tokens: 9 }), { tokens: 9, usd: 1.6 })).toBe('1.5 US dollars');
  });

  it('needs a limit, and is of a month if it names no period', () => {
    expect(budgetField.safeParse({ period: 'day' }).success).toBe(false);
    expect(budgetField.parse({ tokens: 5 })).toEqual({ tokens: 5, usd: null, period: 'month' });
    expect(budgetField.parse(null)).toBe(null);
  });
});
