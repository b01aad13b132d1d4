import { useStore, ViewportPortal } from '@xyflow/react';
import { useMemo } from 'react';
import type { CardNode, LineEdge } from '../flow.ts';
import { overviewPaths } from './paths.ts';

/** In pixels of the page. A non-scaling stroke would not help: the canvas is scaled by CSS. */
const lineWidth = 1;

interface OverviewLinesProps {
  readonly cards: readonly CardNode[];
  readonly lines: readonly LineEdge[];
}

/** All lines of the graph in one element for each kind. Their width does not depend on the zoom. */
export function OverviewLines({ cards, lines }: OverviewLinesProps) {
  const zoom = useStore(({ transform }) => transform[2]);
  const paths = useMemo(() => overviewPaths(cards, lines), [cards, lines]);
  return (
    <ViewportPortal>
      <svg className="overview-lines pointer-events-none absolute top-0 left-0 overflow-visible" aria-hidden="true">
        {[...paths].map(([kind, path]) => (
          <g key={kind} className={kind}>
            <path d={path} fill="none" strokeWidth={lineWidth / zoom} />
          </g>
        ))}
      </svg>
    </ViewportPortal>
  );
}
