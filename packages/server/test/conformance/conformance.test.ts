import { describe, expect, test } from 'vitest';
import { issuesOf, isTestOf } from './held.ts';
import { joined, requirementsIn, withRequirements } from './requirements.ts';
import { part } from './row.ts';
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

describe('a requirement in a test file', () => {
  const source =
    "// Requirement a.b: it works\n  it('works', () => {\n  // Requirement a.b\n  it.each(all)('%s also', () => {\n";

  test('becomes a row with all its tests, of the part with the longest prefix of its id', () => {
    const found = joined(requirementsIn('things', source));
    expect(found).toEqual([{ id: 'a.b', says: 'it works', tests: ['things: works', 'things: %s also'] }]);
    const parts = [part('Short', 'a', []), part('Long', 'a.b', [])];
    const [short, long] = withRequirements(parts, [{ id: 'a.b.c', says: 'it works', tests: [] }]);
    expect([short?.rows, long?.rows.map(({ id }) => id)]).toEqual([[], ['a.b.c']]);
  });

  test('must be above a test, and have one text and the prefix of a part', () => {
    expect(() => requirementsIn('things', '// Requirement a.b: it works\n\n')).toThrow('in the line above a test');
    const row = { id: 'a.b', says: 'it works', tests: [] };
    expect(() => joined([{ ...row, says: '' }])).toThrow('needs a text');
    expect(() => joined([row, row])).toThrow('has several texts');
    expect(() => withRequirements([], [row])).toThrow('a prefix of a.b');
  });
});
