import { type MouseEvent, useRef } from 'react';
import type { useCards, useLines } from '../use-shown.ts';
import type { MenuSubject } from './menu-commands.ts';

interface Options {
  readonly cards: ReturnType<typeof useCards>;
  readonly lines: ReturnType<typeof useLines>;
  readonly onSelect: (nodeId: string | null) => void;
}

/** The context menu of the canvas: what it is about, and where it was opened. */
export function useCanvasMenu({ cards, lines, onSelect }: Options) {
  /** Where the menu of the canvas was opened, on the screen: a new node comes there. */
  const place = useRef<{ readonly x: number; readonly y: number } | null>(null);
  const subjectOf = (target: Element): MenuSubject => {
    const chosen = new Set(cards.shown.filter((card) => card.selected === true).map(({ id }) => id));
    if (target.closest('.react-flow__nodesselection') !== null && chosen.size > 1) return 'nodes';
    const nodeId = target.closest('.react-flow__node')?.getAttribute('data-id') ?? null;
    if (nodeId !== null) {
      if (chosen.size > 1 && chosen.has(nodeId)) return 'nodes';
      cards.select(new Set([nodeId]));
      onSelect(nodeId);
      return 'node';
    }
    const lineId = target.closest('.react-flow__edge')?.getAttribute('data-id') ?? null;
    if (lineId === null) return 'canvas';
    cards.select(new Set());
    lines.change(lines.shown.map(({ id }) => ({ type: 'select', id, selected: id === lineId })));
    return 'connection';
  };
  return {
    place,
    menu: {
      onOpen: ({ target, clientX: x, clientY: y }: MouseEvent): MenuSubject => {
        const subject = subjectOf(target as Element);
        place.current = subject === 'canvas' ? { x, y } : null;
        return subject;
      },
      onClosed: () => {
        place.current = null;
      },
    },
  };
}
