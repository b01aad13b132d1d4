/** A part of two sequences: in both, only in the first, or only in the second. */
export interface Part<T> {
  readonly kind: 'same' | 'removed' | 'added';
  readonly items: readonly T[];
}

/** Comparing takes this many steps at most, some 20 ms; longer sequences count as replaced where they differ. */
const maxWork = 4_000_000;

/**
 * What was removed from a sequence and added to it, with as much in common as possible.
 * @param work the steps that are left for several comparisons
 */
export function sequenceDiff<T>(
  before: readonly T[],
  after: readonly T[],
  work = { left: maxWork },
): readonly Part<T>[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const rest = Math.min(before.length, after.length) - start;
  while (end < rest && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const [removed, added] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const steps = removed.length * added.length;
  const isTooLong = steps > Math.min(maxWork, work.left);
  if (!isTooLong) work.left -= steps;
  const middle = isTooLong ? [part('removed', removed), part('added', added)] : commonParts(removed, added);
  return joined([part('same', before.slice(0, start)), ...middle, part('same', before.slice(before.length - end))]);
}

function part<T>(kind: Part<T>['kind'], items: readonly T[]): Part<T> {
  return { kind, items };
}

/** The longest common subsequence, by the classic table of lengths. */
function commonParts<T>(before: readonly T[], after: readonly T[]): readonly Part<T>[] {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const parts: Part<T>[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      parts.push(part('same', before.slice(i, i + 1)));
      i += 1;
      j += 1;
    } else if (i < before.length && (j === after.length || at(i + 1, j) >= at(i, j + 1))) {
      parts.push(part('removed', before.slice(i, i + 1)));
      i += 1;
    } else {
      parts.push(part('added', after.slice(j, j + 1)));
      j += 1;
    }
  }
  return parts;
}

function joined<T>(parts: readonly Part<T>[]): readonly Part<T>[] {
  const result: { kind: Part<T>['kind']; items: T[] }[] = [];
  for (const { kind, items } of parts) {
    const last = result.at(-1);
    if (items.length === 0) continue;
    if (last?.kind === kind) for (const item of items) last.items.push(item);
    else result.push({ kind, items: [...items] });
  }
  return result;
}

/** Texts with more words are compared by lines. */
const maxWords = 2000;

/** What changed between two texts: by words, or by lines if they are long. */
export function textDiff(
  before: string,
  after: string,
): readonly { readonly kind: Part<string>['kind']; readonly text: string }[] {
  const words = (text: string): string[] => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
  const lines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const [first, second] = [words(before), words(after)];
  const isLong = first.length > maxWords || second.length > maxWords;
  const parts = isLong ? sequenceDiff(lines(before), lines(after)) : sequenceDiff(first, second);
  return parts.map(({ kind, items }) => ({ kind, text: items.join('') }));
}
