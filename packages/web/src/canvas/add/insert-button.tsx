import { EdgeLabelRenderer, getBezierPath, type Position } from '@xyflow/react';
import { Plus } from 'lucide-react';
import { useContext } from 'react';
import { type CardNode, type LineEdge, positions } from '../flow.ts';
import { returnPath } from '../return-path.ts';
import { AddingContext } from './adding.ts';
import { isInsertable } from './quick-add.ts';

interface InsertButtonProps {
  readonly line: LineEdge;
  readonly cards: readonly CardNode[];
  readonly onHover: (isOver: boolean) => void;
}

/** Inserts a node into the connection that the pointer is on, or that is selected. */
export function InsertButton({ line, cards, onHover }: InsertButtonProps) {
  const add = useContext(AddingContext);
  const middle = middleOf(line, cards);
  const edge = line.data?.edge;
  if (edge === undefined || middle === null || !isInsertable(edge)) return null;
  const name = `Insert a node between ${line.source} and ${line.target}`;
  return (
    <EdgeLabelRenderer>
      <button
        type="button"
        aria-label={name}
        title={name}
        className="nodrag nopan pointer-events-auto absolute z-10 flex size-6 items-center justify-center rounded-full border border-accent bg-raised text-accent shadow-sm hover:bg-accent-soft"
        style={{ transform: `translate(-50%, -50%) translate(${middle.x}px, ${middle.y}px)` }}
        onPointerEnter={() => onHover(true)}
        onPointerLeave={() => onHover(false)}
        onClick={() => add({ edge })}
      >
        <Plus size={14} aria-hidden="true" />
      </button>
    </EdgeLabelRenderer>
  );
}

/** The point of a line at which its label would be. */
function middleOf({ source, target, sourceHandle, targetHandle, type }: LineEdge, cards: readonly CardNode[]) {
  const from = endOf(cards, source, sourceHandle);
  const to = endOf(cards, target, targetHandle);
  if (from === null || to === null) return null;
  if (type === 'return') {
    const { label } = returnPath(from, to);
    // Beside the text of the line.
    return { x: label.x + 44, y: label.y };
  }
  const [, x, y] = getBezierPath({
    sourceX: from.x,
    sourceY: from.y,
    sourcePosition: from.side,
    targetX: to.x,
    targetY: to.y,
    targetPosition: to.side,
  });
  return { x, y };
}

function endOf(cards: readonly CardNode[], name: string, handle: string | null | undefined) {
  const card = cards.find(({ id }) => id === name);
  const port = card?.data.ports.find(({ id }) => id === handle);
  if (card === undefined || port === undefined) return null;
  const side: Position = positions[port.side];
  return { x: card.position.x + port.x, y: card.position.y + port.y, side };
}
