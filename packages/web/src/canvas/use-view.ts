import type { ReactFlowInstance } from '@xyflow/react';
import { type RefObject, useCallback, useEffect, useRef } from 'react';
import type { CardNode, LineEdge } from './flow.ts';
import { type Size, viewShowing } from './viewport.ts';

interface Options {
  readonly flow: RefObject<ReactFlowInstance<CardNode, LineEdge> | null>;
  readonly element: RefObject<HTMLDivElement | null>;
  readonly size: Size;
  readonly cards: readonly CardNode[];
  readonly selected: string | null;
}

/** The present size of the canvas, and moving the view until a card is completely visible. */
export function useView({ flow, element, size: { width, height }, cards, selected }: Options) {
  const sizeNow = useCallback(
    () => ({ width: element.current?.clientWidth ?? width, height: element.current?.clientHeight ?? height }),
    [element, width, height],
  );
  const reveal = useCallback(
    (card: CardNode): void => {
      const instance = flow.current;
      if (instance !== null) void instance.setViewport(viewShowing(card, instance.getViewport(), sizeNow()));
    },
    [flow, sizeNow],
  );
  const newest = useRef({ cards, selected });
  newest.current = { cards, selected };
  useEffect(() => {
    if (element.current === null) return undefined;
    // A panel that opens beside the canvas would hide the node that it belongs to.
    const observer = new ResizeObserver(() => {
      const card = newest.current.cards.find(({ id }) => id === newest.current.selected);
      if (card !== undefined) reveal(card);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, reveal]);
  return { sizeNow, reveal };
}
