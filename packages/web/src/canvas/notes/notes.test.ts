import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Graph } from '../../state/graph.ts';
import { layoutOperations } from '../arrange/layout-operations.ts';
import type { CardNode } from '../flow.ts';
import { groupOperations, groupsOf } from './group.ts';
import { membersOf, type PlacedCard, withMembers } from './members.ts';
import { noteOf } from './note.ts';

const card = (id: string, x: number, y: number): PlacedCard => {
  return { id, type: 'card', position: { x, y }, width: 216, height: 64 };
};
const note = (id: string, x: number, y: number, width: number, height: number): PlacedCard => {
  return { id, type: 'note', position: { x, y }, width, height };
};
const namesOf = (cards: readonly { readonly id: string }[]) => cards.map(({ id }) => id);

describe('a group', () => {
  const outer = note('outer', 0, 0, 1000, 1000);
  const inner = note('inner', 100, 100, 400, 300);
  const cards = [outer, inner, card('a', 150, 150), card('b', 700, 700), card('c', 2000, 0)];

  test('has the cards whose middle is on its note, and the notes that are completely on it', () => {
    expect(namesOf(membersOf(outer, cards))).toEqual(['inner', 'a', 'b']);
    expect(namesOf(membersOf(inner, cards))).toEqual(['a']);
    const overlapping = note('beside', 300, 200, 400, 300);
    expect(membersOf(inner, [overlapping])).toEqual([]);
  });

  test('moves with its note, and a card without a note alone', () => {
    expect(namesOf(withMembers([inner], cards))).toEqual(['inner', 'a']);
    expect(namesOf(withMembers([outer], cards))).toEqual(['outer', 'inner', 'a', 'b']);
    expect(namesOf(withMembers([card('c', 2000, 0)], cards))).toEqual(['c']);
  });

  test('of any cards has these cards as its members', () => {
    const place = fc.record({ x: fc.integer({ min: -4000, max: 4000 }), y: fc.integer({ min: -4000, max: 4000 }) });
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 12 }), (places) => {
        const grouped = places.map(({ x, y }, index) => card(String(index), x, y));
        const added = groupOperations(grouped, { nodes: [], edges: [] } as unknown as Graph);
        const [operation] = added?.operations ?? [];
        if (operation?.op !== 'create_node') throw new Error('no note was added');
        const { position_x: x = 0, position_y: y = 0, config } = operation.node;
        const { width, height } = noteOf({ config } as Parameters<typeof noteOf>[0]);
        const members = membersOf(note('group', x, y, width, height), grouped);
        expect(namesOf(members)).toEqual(namesOf(grouped));
      }),
    );
  });
});

test('a layout gives the note of a group the size that surrounds its cards', () => {
  const cards = [note('group', 0, 0, 600, 300), card('a', 50, 100), card('b', 300, 100)] as CardNode[];
  const nodes = cards.map(({ id, position: { x, y } }) => ({ node_id: id, position_x: x, position_y: y }));
  const places = new Map([
    ['a', { x: 1000, y: 1000 }],
    ['b', { x: 1400, y: 1200 }],
  ]);
  expect(groupsOf(cards)).toEqual(new Map([['group', ['a', 'b']]]));
  expect(layoutOperations(cards, places, { nodes } as unknown as Graph).at(-1)).toEqual({
    op: 'update_node',
    node_id: 'group',
    changes: { position_x: 976, position_y: 936, config: { extra_config: { width: 664, height: 352 } } },
  });
});

test('a note whose size is not valid has the usual one', () => {
  const shown = (extra: Record<string, unknown>) => noteOf({ config: { extra_config: extra } } as never);
  expect(shown({ text: 'Why', color: 'pink', width: 3, height: 'x' })).toEqual({
    text: 'Why',
    colour: 'grey',
    width: 216,
    height: 96,
  });
  expect(shown({ color: 'red', width: 400, height: 64 })).toEqual({ text: '', colour: 'red', width: 400, height: 64 });
});
