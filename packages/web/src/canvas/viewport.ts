import type { CardNode } from './flow.ts';

interface Size {
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
