import { type FocusEvent, type RefObject, useEffect, useState } from 'react';
import type { Graph } from '../../state/graph.ts';
import type { CardNode } from '../flow.ts';
import type { CardFocus } from './card-focus.ts';
import { graphOrder } from './navigation.ts';

interface Options {
  readonly focus: CardFocus;
  readonly graph: Graph;
  readonly cards: readonly CardNode[];
  readonly canvas: RefObject<HTMLDivElement | null>;
  /** Moves the view until a card is completely visible. */
  readonly reveal: (card: CardNode) => void;
}

/** Makes the canvas one stop of the Tab key, which leads to the card that had the focus last. */
export function useCanvasFocus({ focus, graph, cards, canvas, reveal }: Options) {
  const [isInside, setIsInside] = useState(false);
  useEffect(() => {
    const show = (): void => {
      const card = cards.find(({ id }) => id === focus.wanted);
      if (card !== undefined) reveal(card);
    };
    show();
    return focus.subscribe(show);
  }, [focus, cards, reveal]);
  const enter = ({ target }: FocusEvent): void => {
    const isCard = target !== canvas.current && target.closest('.react-flow__node') !== null;
    setIsInside(isCard);
    // A click on the empty canvas leaves the focus on the canvas itself.
    if (target !== canvas.current || !target.matches(':focus-visible')) return;
    const known = cards.some(({ id }) => id === focus.current) ? focus.current : null;
    const next = known ?? graphOrder(graph)[0];
    if (next !== undefined && next !== null) focus.request(next);
  };
  return { tabIndex: isInside ? -1 : 0, onFocus: enter, onBlur: () => setIsInside(false) };
}
