/** More wrong letters mean another word, not a typing error; this also limits the work on long words. */
const mostEdits = 4;

/** As many nodes as a workflow may have; an object in data may have many more keys, which are not all compared. */
const mostCandidates = 2000;

/**
 * The candidate that a mistyped word most likely meant, or undefined if none is near enough. Case is ignored. Of
 * several equally near ones, the first.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  // One letter in three may be wrong: `lenght` finds `length`, but `id` does not find every two-letter name.
  const limit = wanted.length === 2 ? 1 : Math.min(mostEdits, Math.floor(wanted.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  let seen = 0;
  for (const candidate of candidates) {
    const distance = boundedDistance(wanted, candidate.toLowerCase(), bestDistance - 1);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
    seen += 1;
    if (bestDistance === 0 || seen === mostCandidates) break;
  }
  return best;
}

/** Names are short: of a longer text only the beginning is compared, so that the work is limited. */
const maxCompared = 64;

/** The candidate nearest to a word, at any distance; undefined only if there is no candidate. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase().slice(0, maxCompared);
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const limit = Math.max(wanted.length, candidate.length);
    const distance = boundedDistance(wanted, candidate.toLowerCase(), limit);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** The candidates without the word itself, which is known in another place: to suggest it would help nobody. */
function* others(word: string, candidates: Iterable<string>): Iterable<string> {
  for (const candidate of candidates) if (candidate !== word) yield candidate;
}

/** The end of a sentence that names the nearest candidate, e.g. ` Did you mean 'upper'?`, or an empty text. */
export function suggestion(word: string, candidates: Iterable<string>): string {
  const found = nearest(word, others(word, candidates));
  return found === undefined ? '' : ` Did you mean '${found}'?`;
}

/** ` Did you mean …?` for a word that is none of the candidates, or nothing. */
export type Suggest = (word: string, candidates: Iterable<string>) => string;

/**
 * The maximum number of word comparisons for suggestions: about fifty suggestions for a graph of two hundred nodes, in
 * a few milliseconds.
 */
const maxComparisons = 10_000;

/**
 * Returns a suggestion function that stops after `maxComparisons` comparisons, so that a graph with hundreds of wrong
 * names is validated quickly.
 */
export function suggestions(): Suggest {
  let left = maxComparisons;
  return (word, candidates) => {
    if (left <= 0) return '';
    const words = [...candidates];
    left -= words.length;
    return suggestion(word, words);
  };
}

/**
 * The Levenshtein distance of two words if it is at most `limit`, else more than `limit`. Computes only the diagonal
 * band in which a distance within the limit can lie, so the work grows with length × limit.
 */
function boundedDistance(a: string, b: string, limit: number): number {
  const tooFar = limit + 1;
  if (Math.abs(a.length - b.length) > limit) return tooFar;
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  let current = previous.map(() => tooFar);
  for (let row = 1; row <= a.length; row += 1) {
    const first = Math.max(1, row - limit);
    const last = Math.min(b.length, row + limit);
    current[first - 1] = first === 1 ? row : tooFar;
    let least = at(current, first - 1);
    for (let column = first; column <= last; column += 1) {
      const substitution = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current[column] = Math.min(substitution, at(previous, column) + 1, at(current, column - 1) + 1);
      least = Math.min(least, at(current, column));
    }
    if (least > limit) return tooFar;
    if (last < b.length) current[last + 1] = tooFar;
    [previous, current] = [current, previous];
  }
  return at(previous, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
