import { Graph, layout } from '@dagrejs/dagre';

/** A card to place. */
export interface PlacedCard {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A line between cards. What fills a slot is placed below its owner; what leads back to a loop is ignored. */
export interface PlacedLine {
  readonly source: string;
  readonly target: string;
  readonly kind: 'flow' | 'slot' | 'return';
}

export interface LayoutTask {
  readonly cards: readonly PlacedCard[];
  readonly lines: readonly PlacedLine[];
  /** Cards that stay together, with no other card between them; a card belongs to the first of its groups. */
  readonly groups?: readonly (readonly string[])[];
}

/** The space between cards in the direction of the flow, across it, and above what fills slots. */
const space = { along: 72, across: 40, below: 72, beside: 24 };
const grid = 8;

type Places = Map<string, { x: number; y: number }>;

/** The places of cards from left to right in the order of the flow. The upper left corner of the graph stays. */
export function layoutOf({ cards, lines, groups = [] }: LayoutTask): Places {
  const known = new Map(cards.map((card) => [card.id, card]));
  const inner = lines.filter(({ source, target }) => known.has(source) && known.has(target));
  const parts = partsOf(inner);
  const blocks = new Map<string, Block>();
  const owned = new Set([...parts.values()].flat());
  for (const card of cards) if (!owned.has(card.id)) blocks.set(card.id, blockOf(card, known, parts));
  const graph = new Graph({ multigraph: true, compound: groups.length > 0 });
  graph.setGraph({ rankdir: 'LR', nodesep: space.across, ranksep: space.along });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const [id, { width, height }] of blocks) graph.setNode(id, { width, height });
  for (const { source, target, kind } of inner) {
    if (kind === 'flow' && blocks.has(source) && blocks.has(target)) graph.setEdge(source, target);
  }
  for (const [id, group] of parentsOf(groups, blocks)) graph.setParent(id, group);
  layout(graph);
  const places: Places = new Map();
  for (const [id, block] of blocks) {
    const { x, y } = graph.node(id) as { x: number; y: number };
    placeBlock(block, { x: x - block.width / 2, y: y - block.height / 2 }, places);
  }
  return anchored(places, cards);
}

/** The cards that fill the slots of each card. A card that fills several, or is a step too, is below none or one. */
function partsOf(lines: readonly PlacedLine[]): ReadonlyMap<string, readonly string[]> {
  const inFlow = new Set(lines.flatMap((line) => (line.kind === 'slot' ? [] : [line.source, line.target])));
  const parts = new Map<string, string[]>();
  const owners = new Map<string, string>();
  const isAbove = (id: string, other: string): boolean => {
    for (let at: string | undefined = id; at !== undefined; at = owners.get(at)) if (at === other) return true;
    return false;
  };
  for (const { source, target, kind } of lines) {
    const isPart = kind === 'slot' && !inFlow.has(source) && !owners.has(source) && !isAbove(target, source);
    if (!isPart) continue;
    owners.set(source, target);
    parts.set(target, [...(parts.get(target) ?? []), source]);
  }
  return parts;
}

/** A card with all that fills its slots, in rows below it. */
interface Block {
  readonly card: PlacedCard;
  readonly parts: readonly Block[];
  readonly width: number;
  readonly height: number;
}

function blockOf(
  card: PlacedCard,
  cards: ReadonlyMap<string, PlacedCard>,
  partsOfCard: ReadonlyMap<string, readonly string[]>,
): Block {
  const parts = (partsOfCard.get(card.id) ?? []).flatMap((id) => {
    const part = cards.get(id);
    return part === undefined ? [] : [blockOf(part, cards, partsOfCard)];
  });
  const row = rowWidth(parts);
  const below = parts.length === 0 ? 0 : space.below + Math.max(...parts.map(({ height }) => height));
  return { card, parts, width: Math.max(card.width, row), height: card.height + below };
}

function rowWidth(parts: readonly Block[]): number {
  return parts.reduce((sum, { width }) => sum + width, 0) + space.beside * Math.max(0, parts.length - 1);
}

function placeBlock({ card, parts, width }: Block, { x, y }: { x: number; y: number }, places: Places): void {
  places.set(card.id, { x: x + (width - card.width) / 2, y });
  let left = x + (width - rowWidth(parts)) / 2;
  for (const part of parts) {
    placeBlock(part, { x: left, y: y + card.height + space.below }, places);
    left += part.width + space.beside;
  }
}

/** The group that each block is in, by names that no card has. */
function parentsOf(groups: readonly (readonly string[])[], blocks: ReadonlyMap<string, Block>) {
  const parents = new Map<string, string>();
  for (const [index, members] of groups.entries()) {
    for (const id of members) if (blocks.has(id) && !parents.has(id)) parents.set(id, `\n${index}`);
  }
  return parents;
}

/** On the grid, and with the upper left corner where it was. */
function anchored(places: Places, cards: readonly PlacedCard[]): Places {
  const [left, top] = [Math.min(...cards.map(({ x }) => x)), Math.min(...cards.map(({ y }) => y))];
  const found = [...places.values()];
  const [newLeft, newTop] = [Math.min(...found.map(({ x }) => x)), Math.min(...found.map(({ y }) => y))];
  const snapped = (value: number): number => Math.round(value / grid) * grid;
  return new Map(
    [...places].map(([id, { x, y }]) => [id, { x: snapped(x - newLeft + left), y: snapped(y - newTop + top) }]),
  );
}
