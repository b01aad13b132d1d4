/** A part of a text to replace. Positions are UTF-16 offsets in the original text. */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** The text after all replacements, which must not overlap. Insertions at one position keep their order. */
export function spliced(text: string, splices: readonly Splice[]): string {
  const inOrder = splices.toSorted((a, b) => a.from - b.from || a.to - b.to);
  let result = '';
  let position = 0;
  for (const { from, to, insert } of inOrder) {
    result += text.slice(position, from) + insert;
    position = to;
  }
  return result + text.slice(position);
}

/** The one replacement that turns a text into another: what lies between their common start and end. Null if equal. */
export function spliceBetween(before: string, after: string): Splice | null {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}
