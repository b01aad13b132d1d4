import { Background, Controls, MiniMap, ReactFlow } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import './canvas.css';
import { useMemo } from 'react';
import type { Graph } from '../state/graph.ts';
import { type CardNode, cardsOf, type LineEdge, linesOf, type NodeTypes } from './flow.ts';
import { NodeCard } from './node-card.tsx';
import { colourOf } from './node-look.tsx';
import { viewportOf } from './viewport.ts';

const nodeTypes = { card: NodeCard };

/** The minimap helps between these numbers of nodes: below, everything is visible; above, it costs frames. */
const minimapFrom = 8;
const minimapTo = 1500;

interface CanvasProps {
  readonly graph: Graph;
  readonly types: NodeTypes;
}

/** The graph of a workflow. */
export function Canvas({ graph, types }: CanvasProps) {
  const cards = useMemo(() => cardsOf(graph, types), [graph, types]);
  const lines = useMemo(() => linesOf(graph), [graph]);
  const hasMinimap = cards.length >= minimapFrom && cards.length <= minimapTo;
  return (
    <ReactFlow<CardNode, LineEdge>
      nodes={cards}
      edges={lines}
      nodeTypes={nodeTypes}
      defaultViewport={viewportOf(cards, { width: window.innerWidth - 208, height: window.innerHeight - 56 })}
      minZoom={0.05}
      maxZoom={2}
      nodesDraggable={false}
      nodesConnectable={false}
      onlyRenderVisibleElements
      proOptions={{ hideAttribution: true }}
      aria-label={`Graph with ${cards.length} nodes and ${lines.length} connections`}
    >
      <Background gap={16} />
      <Controls showInteractive={false} />
      {hasMinimap && (
        <MiniMap<CardNode> pannable zoomable nodeColor={({ data }) => colourOf(data.type?.category ?? '')} />
      )}
    </ReactFlow>
  );
}
