import { describe, expect, test } from 'vitest';
import { issuesOf, isTestOf } from './held.ts';
import { parts } from './rows.ts';

const rows = parts.flatMap((part) => part.rows);

describe('the rows of the interface', () => {
  test('have unique ids', () => {
    const ids = rows.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids.length).toBeGreaterThan(200);
  });

  test('name only existing tests, by their titles', () => {
    expect(rows.flatMap(issuesOf)).toEqual([]);
  });
});

describe('a test', () => {
  test.each([
    ["it('a b', async () => {", true],
    ["test(\n  'a b',\n  async () => {", true],
    ["it.each(cases)('a b', () => {", true],
    ["  ])('a b', (x) => {", true],
    ['it("a b", () => {', true],
    ["it('a b c', () => {", false],
    ["// 'a b'", false],
    ["it.skip('a b', () => {", false],
    ["test.todo('a b')", false],
  ])('is found in %j: %s', (source, isThere) => {
    expect(isTestOf(source, 'a b')).toBe(isThere);
  });
});
