import type { Reader } from '@millrace/core';

type Path = readonly (string | number)[];

/**
 * The part of a text that is the value at a path, with blanks for all that is before it: so lines and columns in it are
 * those of the whole.
 */
export function inlineText(text: string, reader: Reader, path: Path): string {
  const start = reader.nodeAt(path)?.offset ?? 0;
  const next = Math.min(...path.map((_key, depth) => nextAfter(text, reader, path.slice(0, depth + 1))));
  const own = text.slice(start, next).trimEnd();
  // What parts it from the next item is none of it.
  const parent = reader.nodeAt(path.slice(0, -1));
  const isListed = next < text.length && (parent?.kind === 'list' || text[parent?.offset ?? 0] === '{');
  return text.slice(0, start).replace(/[^\n]/g, ' ') + (isListed ? own.replace(/[-,]$/, '') : own);
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
