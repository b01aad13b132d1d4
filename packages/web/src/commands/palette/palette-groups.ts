import { searchText } from '@millrace/core/search-text';
/** Something that the palette can run or go to. */
export interface PaletteEntry {
  readonly id: string;
  readonly title: string;
  /** Shown behind the title, and searched too. */
  readonly detail?: string | null;
  /** The keys of a command. */
  readonly keys?: string | undefined;
  readonly run: () => void;
}

/** Entries of one kind, below their heading. */
export interface PaletteGroup {
  readonly value: string;
  readonly items: readonly PaletteEntry[];
}

/** What a search is limited to by its first character. */
export type PaletteScope = 'all' | 'commands' | 'nodes' | 'runs';

const scopes: Readonly<Record<string, PaletteScope>> = { '>': 'commands', '@': 'nodes', '#': 'runs' };

/** The scope and the words of what was typed. */
export function searchOf(text: string): { readonly scope: PaletteScope; readonly words: readonly string[] } {
  const typed = text.trimStart();
  const scope = scopes[typed.charAt(0)] ?? 'all';
  const rest = scope === 'all' ? typed : typed.slice(1);
  return { scope, words: searchText(rest).split(/\s+/).filter(Boolean) };
}

/** The most entries of a group while other groups are listed too, and when it is the only one. */
const maxBeside = 6;
const maxAlone = 100;

/** The entries that match, the best ones first: those whose title begins with what was typed, then the rest. */
export function foundGroups(groups: readonly PaletteGroup[], words: readonly string[]): readonly PaletteGroup[] {
  const found = groups
    .map(({ value, items }) => {
      const ranked = items
        .map((item) => ({ item, rank: rankOf(item, words) }))
        .filter(({ rank }) => rank < none)
        .toSorted((a, b) => a.rank - b.rank);
      return { value, best: ranked[0]?.rank ?? none, items: ranked.map(({ item }) => item) };
    })
    .filter(({ items }) => items.length > 0)
    .toSorted((a, b) => a.best - b.best);
  const max = found.length === 1 ? maxAlone : maxBeside;
  return found.map(({ value, items }) => ({ value, items: items.slice(0, max) }));
}

const none = 4;

/** How well an entry matches: 0 is best, `none` is not at all. */
function rankOf({ title, detail }: PaletteEntry, words: readonly string[]): number {
  const name = searchText(title);
  const all = `${name} ${searchText(detail ?? '')}`;
  if (!words.every((word) => all.includes(word))) return none;
  if (name.startsWith(words.join(' '))) return 0;
  if (words.every((word) => name.split(/\W+/).some((part) => part.startsWith(word)))) return 1;
  return words.every((word) => name.includes(word)) ? 2 : 3;
}
