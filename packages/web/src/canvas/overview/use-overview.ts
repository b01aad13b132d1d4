import { useEffect, useMemo, useState } from 'react';
import type { CardNode, LineEdge } from '../flow.ts';
import type { CardFocus } from '../keyboard/card-focus.ts';
import { type Size, viewportOf } from '../viewport.ts';

/** Below this zoom the text of a card cannot be read. */
const maxZoom = 0.35;
/** Below this number of nodes, whole cards cost nothing. */
const minNodes = 60;

interface Options {
  readonly cards: CardNode[];
  readonly lines: LineEdge[];
  readonly size: Size;
  readonly focus: CardFocus;
}

/** From far away, a large graph is shown as blocks and plain lines, which can still be distinguished. */
export function useOverview({ cards, lines, size, focus }: Options) {
  const [defaultViewport] = useState(() => viewportOf(cards, size));
  const isOverview = (zoom: number): boolean => zoom < maxZoom && cards.length >= minNodes;
  const [isFar, setIsFar] = useState(() => isOverview(defaultViewport.zoom));
  const nodes = useMemo(() => (isFar ? cards.map(blockOf) : cards), [isFar, cards]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the element that had the focus is replaced at this change.
  useEffect(() => {
    if (focus.active !== null) focus.request(focus.active);
  }, [focus, isFar]);
  return {
    isFar,
    drawn: {
      nodes,
      edges: isFar ? noLines : lines,
      defaultViewport,
      onViewportChange: ({ zoom }: { zoom: number }) => setIsFar(isOverview(zoom)),
    },
  };
}

/** In the overview the library draws no lines. */
const noLines: LineEdge[] = [];

/** One block for each card: the same object for the same card, so that a move draws only what moves. */
const blocks = new WeakMap<CardNode, CardNode>();

function blockOf(card: CardNode): CardNode {
  if (card.type === 'note') return card;
  const known = blocks.get(card);
  if (known !== undefined) return known;
  const block: CardNode = { ...card, type: 'block' };
  blocks.set(card, block);
  return block;
}
