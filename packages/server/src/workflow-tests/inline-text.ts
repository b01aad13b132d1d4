import type { Reader } from '@millrace/core';

type Path = readonly (string | number)[];

/**
 * The part of a text that is the map at a path, with blanks for all that is before it: so lines and columns in it are
 * those of the whole. A map in braces is written anew, on one line, as its end is not known.
 */
export function inlineText(text: string, reader: Reader, path: Path): string {
  const start = reader.nodeAt(path)?.offset ?? 0;
  const before = text.slice(0, start).replace(/[^\n]/g, ' ');
  if (text[start] === '{') return before + JSON.stringify(reader.jsonAt(path));
  const next = Math.min(...path.map((_key, depth) => nextAfter(text, reader, path.slice(0, depth + 1))));
  const own = text.slice(start, next).trimEnd();
  // The dash of the next item is none of it.
  const isFollowed = reader.nodeAt(path.slice(0, -1))?.kind === 'list' && next < text.length;
  return before + (isFollowed ? own.replace(/\n[ \t]*-$/, '') : own);
}

/** Where the next value beside the one at a path begins; the end of the text without one. */
function nextAfter(text: string, reader: Reader, path: Path): number {
  const parent = reader.nodeAt(path.slice(0, -1));
  const key = path.at(-1);
  if (parent?.kind === 'list') return parent.items[Number(key) + 1]?.offset ?? text.length;
  if (parent?.kind !== 'map') return text.length;
  const entries = [...parent.entries];
  const place = entries.findIndex(([name]) => name === key);
  return entries[place + 1]?.[1].keyOffset ?? text.length;
}
