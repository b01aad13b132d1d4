import { ViewportPortal } from '@xyflow/react';
import { useMemo } from 'react';
import type { Graph } from '../../state/graph.ts';
import type { CardNode } from '../flow.ts';
import { colourOf } from '../node-look.tsx';
import { type Frame, framesOf } from './frame.ts';
import { loopBodies } from './loop-bodies.ts';

interface LoopFramesProps {
  readonly edges: Graph['edges'];
  readonly cards: readonly CardNode[];
}

/** A tinted frame behind the nodes that a loop repeats. Screen readers learn the same from the names of the cards. */
export function LoopFrames({ edges, cards }: LoopFramesProps) {
  const bodies = useMemo(() => loopBodies(edges), [edges]);
  const frames = useMemo(() => framesOf(bodies, cards), [bodies, cards]);
  if (frames.length === 0) return null;
  return (
    <ViewportPortal>
      {frames.map((frame) => (
        <LoopFrame key={frame.id} frame={frame} card={cards.find(({ id }) => id === frame.id)} />
      ))}
    </ViewportPortal>
  );
}

function LoopFrame({ frame, card }: { readonly frame: Frame; readonly card: CardNode | undefined }) {
  const { x, y, width, height } = frame;
  const colour = colourOf(card?.data.type?.category ?? '');
  return (
    <div
      aria-hidden="true"
      data-loop-frame={frame.id}
      // Behind the lines and the cards.
      className="-z-10 pointer-events-none absolute top-0 left-0 rounded-card border border-dashed"
      style={{
        transform: `translate(${x}px, ${y}px)`,
        width,
        height,
        borderColor: `color-mix(in srgb, ${colour} 45%, transparent)`,
        background: `color-mix(in srgb, ${colour} 6%, transparent)`,
      }}
    >
      <span className="absolute top-1 left-3 font-medium text-[11px]" style={{ color: colour }}>
        {card?.data.node.label ?? frame.id}
      </span>
    </div>
  );
}
