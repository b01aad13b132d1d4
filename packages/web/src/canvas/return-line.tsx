import { BaseEdge, EdgeLabelRenderer, type EdgeProps } from '@xyflow/react';
import { memo } from 'react';
import type { LineEdge } from './flow.ts';
import { returnPath } from './return-path.ts';

/** The line from the end of a loop's body back to the loop. It runs below both, so that it crosses neither. */
export const ReturnLine = memo(function ReturnLine({ id, sourceX, sourceY, targetX, targetY }: EdgeProps<LineEdge>) {
  const { path, label } = returnPath({ x: sourceX, y: sourceY }, { x: targetX, y: targetY });
  return (
    <>
      <BaseEdge id={id} path={path} />
      <EdgeLabelRenderer>
        <div
          className="absolute rounded bg-surface px-1 text-[11px] text-muted"
          style={{ transform: `translate(-50%, -50%) translate(${label.x}px, ${label.y}px)` }}
        >
          next item
        </div>
      </EdgeLabelRenderer>
    </>
  );
});
