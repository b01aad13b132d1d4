/** Longer than the names of branches on any git host: a longer name matches nothing. */
const maxName = 255;

const star = '*'.charCodeAt(0);
const anyOne = '?'.charCodeAt(0);
const slash = '/'.charCodeAt(0);

/**
 * Whether a name matches a pattern: `*` is any text without a slash, `**` any text, `?` one character that is not a
 * slash. In time proportional to both lengths, because the patterns come from users and the names from outsiders.
 */
export function matchesGlob(pattern: string, name: string): boolean {
  if (name.length > maxName) return false;
  const codes = codesOf(name);
  /** Whether the pattern so far matches the first n characters. */
  const matched = new Uint8Array(name.length + 1);
  matched[0] = 1;
  for (let at = 0; at < pattern.length; ) {
    const stars = starsAt(pattern, at);
    if (stars > 0) passStars(codes, matched, stars > 1);
    else if (!passOne(codes, matched, pattern.charCodeAt(at))) return false;
    at += Math.max(1, stars);
  }
  return matched[name.length] === 1;
}

function starsAt(pattern: string, at: number): number {
  let end = at;
  while (pattern.charCodeAt(end) === star) end += 1;
  return end - at;
}

function passStars(codes: Uint16Array, matched: Uint8Array, passesSlashes: boolean): void {
  for (let end = 1; end < matched.length; end += 1) {
    if (matched[end - 1] === 1 && (passesSlashes || codes[end - 1] !== slash)) matched[end] = 1;
  }
}

/** False if nothing can match any more. */
function passOne(codes: Uint16Array, matched: Uint8Array, wanted: number): boolean {
  let isPossible = false;
  for (let end = matched.length - 1; end > 0; end -= 1) {
    const code = codes[end - 1];
    const passes = matched[end - 1] === 1 && (wanted === anyOne ? code !== slash : code === wanted);
    matched[end] = passes ? 1 : 0;
    isPossible ||= passes;
  }
  matched[0] = 0;
  return isPossible;
}

function codesOf(name: string): Uint16Array {
  const codes = new Uint16Array(name.length);
  for (let at = 0; at < name.length; at += 1) codes[at] = name.charCodeAt(at);
  return codes;
}
