import { slotOf } from '../../state/slots.ts';
import type { CardNode, LineEdge } from '../flow.ts';
import { groupsOf } from '../notes/group.ts';
import { isNote } from '../notes/members.ts';
import type { LayoutTask } from './layout.ts';

/** A layout of 1,000 nodes takes some 8 s on a slow machine. */
const maxMs = 30_000;

/**
 * New places for cards, computed in a worker so that the page stays responsive.
 * @throws Error if it fails or takes too long
 */
export function laidOut(scope: readonly CardNode[], all: readonly CardNode[], lines: readonly LineEdge[]) {
  const cards = scope.filter((card) => !isNote(card));
  const groups = [...groupsOf(all).values()];
  const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' });
  const task: LayoutTask = { cards: cards.map(placedCard), lines: lines.map(placedLine), groups };
  return new Promise<ReadonlyMap<string, { x: number; y: number }>>((resolve, reject) => {
    const timer = window.setTimeout(() => reject(new Error('The layout took too long.')), maxMs);
    worker.onmessage = ({ data }: MessageEvent<ReadonlyMap<string, { x: number; y: number }>>) => {
      window.clearTimeout(timer);
      resolve(data);
    };
    worker.onerror = () => {
      window.clearTimeout(timer);
      reject(new Error('The layout failed.'));
    };
    worker.postMessage(task);
  }).finally(() => worker.terminate());
}

function placedCard({ id, position: { x, y }, width = 0, height = 0 }: CardNode): LayoutTask['cards'][number] {
  return { id, x, y, width, height };
}

function placedLine({ source, target, data }: LineEdge): LayoutTask['lines'][number] {
  const label = data?.edge.edge_label ?? '';
  if (label === 'loop_return') return { source, target, kind: 'return' };
  return { source, target, kind: slotOf[label] === undefined ? 'flow' : 'slot' };
}
