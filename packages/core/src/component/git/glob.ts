/**
 * Whether a name matches a pattern: `*` is any text without a slash, `**` any text, `?` one character that is not a
 * slash. In time proportional to both lengths, because the patterns come from users and the names from outsiders.
 */
export function matchesGlob(pattern: string, name: string): boolean {
  const parts = pattern.match(/\*\*+|[^*]|\*/gsu) ?? [];
  /** Whether the parts so far match the first n characters. */
  let matched = Array.from({ length: name.length + 1 }, (_, end) => end === 0);
  for (const part of parts) matched = afterPart(part, name, matched);
  return matched[name.length] ?? false;
}

function afterPart(part: string, name: string, before: readonly boolean[]): boolean[] {
  const isStar = part.startsWith('*');
  const after: boolean[] = [];
  for (let end = 0; end <= name.length; end += 1) {
    const last = name.slice(end - part.length, end);
    if (isStar) {
      const goesOn = end > 0 && (after[end - 1] ?? false) && (part.length > 1 || name[end - 1] !== '/');
      after.push((before[end] ?? false) || goesOn);
    } else if (part === '?') {
      after.push(end > 0 && (before[end - 1] ?? false) && name[end - 1] !== '/');
    } else {
      after.push(end >= part.length && (before[end - part.length] ?? false) && last === part);
    }
  }
  return after;
}
