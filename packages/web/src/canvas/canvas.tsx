import {
  applyEdgeChanges,
  applyNodeChanges,
  Background,
  type Connection,
  Controls,
  type EdgeChange,
  MiniMap,
  type NodeChange,
  ReactFlow,
} from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import './canvas.css';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Graph } from '../state/graph.ts';
import type { Perform } from '../state/use-graph-edit.ts';
import { connectionEdge } from './connection.ts';
import { type CardNode, cardsOf, type LineEdge, linesOf, type NodeTypes } from './flow.ts';
import { NodeCard } from './node-card.tsx';
import { colourOf } from './node-look.tsx';
import { ReturnLine } from './return-line.tsx';
import { viewportOf } from './viewport.ts';

const nodeTypes = { card: NodeCard };
const edgeTypes = { return: ReturnLine };

/** The minimap helps between these numbers of nodes: below, everything is visible; above, it costs frames. */
const minimapFrom = 8;
const minimapTo = 1500;

/** Positions are multiples of this many pixels. */
const grid: [number, number] = [8, 8];

interface CanvasProps {
  readonly graph: Graph;
  readonly types: NodeTypes;
  readonly perform: Perform;
  readonly selected: string | null;
  readonly onSelect: (nodeId: string | null) => void;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The graph of a workflow. It is drawn once its size is known, so that it fits from the first paint. */
export function Canvas(props: CanvasProps) {
  const [size, setSize] = useState<Size | null>(null);
  const measure = useCallback((element: HTMLDivElement | null) => {
    if (element !== null) setSize({ width: element.clientWidth, height: element.clientHeight });
  }, []);
  return (
    <div ref={measure} className="h-full w-full">
      {size !== null && <GraphCanvas {...props} size={size} />}
    </div>
  );
}

/** Cards that can be moved, connected and deleted. */
function GraphCanvas({ graph, types, perform, selected, onSelect, size }: CanvasProps & { readonly size: Size }) {
  const cards = useCards(graph, types, selected);
  const lines = useLines(graph);
  const hasMinimap = cards.shown.length >= minimapFrom && cards.shown.length <= minimapTo;
  const remove = ({ nodes, edges }: { nodes: CardNode[]; edges: LineEdge[] }): void => {
    const deleted = new Set(nodes.map(({ id }) => id));
    // The service deletes the edges of a node with it.
    const left = edges.filter(({ source, target }) => !deleted.has(source) && !deleted.has(target));
    perform(`Delete ${nodes.length} nodes and ${left.length} connections`, [
      ...left.map(({ id }) => ({ op: 'delete_edge' as const, edge_id: Number(id) })),
      ...nodes.map(({ id }) => ({ op: 'delete_node' as const, node_id: id })),
    ]);
    onSelect(null);
  };
  const move = (moved: readonly CardNode[]): void => {
    const operations = moved.map(({ id, position: { x, y } }) => {
      return {
        op: 'update_node' as const,
        node_id: id,
        changes: { position_x: Math.round(x), position_y: Math.round(y) },
      };
    });
    perform(`Move ${moved.length} nodes`, operations);
  };
  const connect = (connection: Connection): void => {
    perform('Connect', [{ op: 'create_edge', edge: connectionEdge(connection) }]);
  };
  return (
    <ReactFlow<CardNode, LineEdge>
      nodes={cards.shown}
      edges={lines.shown}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      defaultViewport={viewportOf(cards.shown, size)}
      minZoom={0.05}
      maxZoom={2}
      snapToGrid
      snapGrid={grid}
      onNodesChange={cards.change}
      onEdgesChange={lines.change}
      onNodeClick={(_event, { id }) => onSelect(id)}
      onPaneClick={() => onSelect(null)}
      onNodeDragStop={(_event, _node, moved) => move(moved)}
      onConnect={connect}
      onDelete={remove}
      deleteKeyCode={['Delete', 'Backspace']}
      onlyRenderVisibleElements
      proOptions={{ hideAttribution: true }}
      aria-label={`Graph with ${cards.shown.length} nodes and ${lines.shown.length} connections`}
    >
      <Background gap={16} />
      <Controls showInteractive={false} />
      {hasMinimap && (
        <MiniMap<CardNode> pannable zoomable nodeColor={({ data }) => colourOf(data.type?.category ?? '')} />
      )}
    </ReactFlow>
  );
}

/** The cards of the graph, with what only this browser knows: which are selected, and where one is being dragged. */
function useCards(graph: Graph, types: NodeTypes, selected: string | null) {
  const stored = useMemo(() => cardsOf(graph, types), [graph, types]);
  const [shown, setShown] = useState(stored);
  useEffect(() => {
    setShown((before) => {
      const known = new Map(before.map((card) => [card.id, card]));
      return stored.map((card) => ({ ...card, selected: known.get(card.id)?.selected ?? false }));
    });
  }, [stored]);
  useEffect(() => {
    if (selected === null) return;
    setShown((before) => before.map((card) => (card.id === selected ? { ...card, selected: true } : card)));
  }, [selected]);
  const change = (changes: NodeChange<CardNode>[]): void => setShown((before) => applyNodeChanges(changes, before));
  return { shown, change };
}

function useLines(graph: Graph) {
  const stored = useMemo(() => linesOf(graph), [graph]);
  const [shown, setShown] = useState(stored);
  useEffect(() => setShown(stored), [stored]);
  const change = (changes: EdgeChange<LineEdge>[]): void => setShown((before) => applyEdgeChanges(changes, before));
  return { shown, change };
}
