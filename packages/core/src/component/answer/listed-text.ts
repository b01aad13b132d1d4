/** What begins an item of a list. */
export const bullet = /^(?:[-*•]|\d{1,9}[.)])\s+/;

/**
 * The lines of a list without the sentences before and after it. A sentence before it ends with a colon, or precedes items
 * with bullets or JSON: as a paragraph of its own, with a full stop, or as the only line without a bullet. One after it is a
 * paragraph of its own after items with bullets.
 */
export function listedText(text: string): string {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.trim());
  const first = lines.findIndex((line) => bullet.test(line) || line.startsWith('['));
  const from = first > 0 ? beginOfList(lines, first) : 0;
  const start = from > 0 || lines.length < 2 || !endsAnIntroduction(lines[0]) ? from : 1;
  return lines.slice(start, endOfList(lines, start)).join('\n');
}

/** Where the list begins whose first item with a bullet is given: after a sentence before it. */
function beginOfList(lines: readonly string[], first: number): number {
  const before = lines[first - 1] ?? '';
  const isOnlyOther =
    first === 1 && lines.length > 2 && lines.slice(1).every((line) => line === '' || bullet.test(line));
  return isOnlyOther || before === '' || /[:：.!?]$/.test(before) ? first : 0;
}

function endsAnIntroduction(line = ''): boolean {
  return /[:：]$/.test(line) && !bullet.test(line);
}

function endOfList(lines: readonly string[], start: number): number {
  const last = lines.findLastIndex((line) => bullet.test(line));
  return last >= start && lines[last + 1] === '' ? last + 1 : lines.length;
}
