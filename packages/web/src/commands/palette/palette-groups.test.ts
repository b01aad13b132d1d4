import { expect, it } from 'vitest';
import { foundGroups, type PaletteEntry, searchOf } from './palette-groups.ts';

const entry = (title: string, detail?: string): PaletteEntry => {
  return { id: title, title, ...(detail !== undefined && { detail }), run: () => undefined };
};

const titles = (text: string, ...groups: [value: string, items: readonly PaletteEntry[]][]) =>
  foundGroups(
    groups.map(([value, items]) => ({ value, items })),
    searchOf(text).words,
  ).map(({ value, items }) => [value, items.map(({ title }) => title)]);

it.each([
  ['run now', 'all', ['run', 'now']],
  ['> run', 'commands', ['run']],
  ['@', 'nodes', []],
  [' #4f', 'runs', ['4f']],
])('the first character of %j limits the search to %s', (text, scope, words) => {
  expect(searchOf(text)).toEqual({ scope, words });
});

it('finds entries by words in any order, in the title and behind it', () => {
  const commands = [entry('Add a node'), entry('Lay out the nodes'), entry('Undo', 'Add HTTP request')];
  expect(titles('node add', ['Commands', commands])).toEqual([['Commands', ['Add a node']]]);
  expect(titles('undo http', ['Commands', commands])).toEqual([['Commands', ['Undo']]]);
  expect(titles('nothing', ['Commands', commands])).toEqual([]);
});

it('lists the group and the entry first whose title begins with the text', () => {
  const found = titles('run', ['Commands', [entry('Show runs'), entry('Rerun')]], ['Pages', [entry('Runs')]]);
  expect(found).toEqual([
    ['Pages', ['Runs']],
    ['Commands', ['Show runs', 'Rerun']],
  ]);
});

it('shortens each group while several are listed', () => {
  const many = Array.from({ length: 50 }, (_, index) => entry(`Node ${index}`));
  expect(titles('', ['Nodes', many], ['Pages', [entry('Runs')]])[0]?.[1]).toHaveLength(6);
  expect(titles('', ['Nodes', many])[0]?.[1]).toHaveLength(50);
});
