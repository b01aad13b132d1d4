import type { CardNode } from './flow.ts';

/** The size of the canvas in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The space around the graph in pixels. */
const margin = 48;
/** A small graph is not enlarged above its real size. */
const maxZoom = 1;
const minZoom = 0.05;

/**
 * The viewport that shows all cards. The library's own `fitView` waits for measurements that never come when it draws
 * only what is visible.
 */
export function viewportOf(cards: readonly CardNode[], { width, height }: Size) {
  if (cards.length === 0) return { x: margin, y: margin, zoom: 1 };
  const left = Math.min(...cards.map(({ position }) => position.x));
  const top = Math.min(...cards.map(({ position }) => position.y));
  const right = Math.max(...cards.map(({ position, width: own = 0 }) => position.x + own));
  const bottom = Math.max(...cards.map(({ position, height: own = 0 }) => position.y + own));
  const fit = Math.min((width - 2 * margin) / (right - left), (height - 2 * margin) / (bottom - top));
  const zoom = Math.max(minZoom, Math.min(maxZoom, fit));
  return {
    x: (width - (right + left) * zoom) / 2,
    y: (height - (bottom + top) * zoom) / 2,
    zoom,
  };
}

interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** The nearest view in which a card is completely visible; the same one if it already is. */
export function viewShowing({ position, width = 0, height = 0 }: CardNode, view: View, size: Size): View {
  const x = view.x + shift(view.x + position.x * view.zoom, width * view.zoom, size.width);
  const y = view.y + shift(view.y + position.y * view.zoom, height * view.zoom, size.height);
  return x === view.x && y === view.y ? view : { x, y, zoom: view.zoom };
}

/** How far a part of a line must move so that it is inside of the whole. */
function shift(start: number, length: number, whole: number): number {
  if (start < margin) return margin - start;
  return Math.min(0, Math.max(whole - margin - length - start, margin - start));
}
