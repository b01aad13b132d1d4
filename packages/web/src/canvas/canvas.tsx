import { Background, ControlButton, Controls, MiniMap, ReactFlow, type ReactFlowInstance } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import './canvas.css';
import { Maximize } from 'lucide-react';
import { type MouseEvent, useCallback, useRef, useState } from 'react';
import { tooltipOf } from '../commands/use-commands.ts';
import type { Graph } from '../state/graph.ts';
import type { Perform } from '../state/use-draft.ts';
import { AddingContext } from './add/adding.ts';
import { EmptyCanvas } from './add/empty-canvas.tsx';
import { InsertButton } from './add/insert-button.tsx';
import type { AddRequest } from './add/quick-add.ts';
import { ConnectingContext } from './connect/connecting.ts';
import { ConnectionHint } from './connect/connection-hint.tsx';
import { useConnections } from './connect/use-connections.ts';
import type { CardNode, LineEdge, NodeTypes } from './flow.ts';
import { cardHeight, cardWidth } from './geometry.ts';
import { type CardFocus, CardFocusContext } from './keyboard/card-focus.ts';
import { NodeDialogs } from './keyboard/node-dialogs.tsx';
import { useCanvasFocus } from './keyboard/use-canvas-focus.ts';
import { useNodeCommands } from './keyboard/use-node-commands.ts';
import { LoopFrames } from './loops/loop-frames.tsx';
import { CanvasMenu } from './menu/canvas-menu.tsx';
import { useCanvasMenu } from './menu/use-canvas-menu.ts';
import { NodeCard } from './node-card.tsx';
import { colourOf } from './node-look.tsx';
import { NoteCard, ResizingContext } from './notes/note-card.tsx';
import { useDragging } from './notes/use-dragging.ts';
import { NodeBlock } from './overview/node-block.tsx';
import { OverviewLines } from './overview/overview-lines.tsx';
import { useOverview } from './overview/use-overview.ts';
import { ReturnLine } from './return-line.tsx';
import { useCanvasCommands } from './use-canvas-commands.ts';
import { useCards, useLines } from './use-shown.ts';
import { useView } from './use-view.ts';
import type { Size } from './viewport.ts';

const nodeTypes = { card: NodeCard, block: NodeBlock, note: NoteCard };
const edgeTypes = { return: ReturnLine };

/** The minimap helps between these numbers of nodes: below, everything is visible; above, it costs frames. */
const minimapFrom = 8;
const minimapTo = 1500;

/** Positions are multiples of this many pixels. */
const grid: [number, number] = [8, 8];

/** How long the button on a connection stays after the pointer leaves the connection. */
const hoverMs = 300;

interface CanvasProps {
  readonly graph: Graph;
  readonly types: NodeTypes;
  readonly perform: Perform;
  readonly contest: Perform;
  /** Whether cards stay where they are, and lines too. */
  readonly isReadOnly: boolean;
  readonly selected: string | null;
  readonly onSelect: (nodeId: string | null) => void;
  /** Which card has the focus. */
  readonly focus: CardFocus;
  /** The number of problems of the graph. */
  readonly problems: number;
  /** Opens the list of node types that fit a place, a port or a connection. */
  readonly onAdd: (request: AddRequest) => void;
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
function GraphCanvas(props: CanvasProps & { readonly size: Size }) {
  const { graph, types, perform, contest, selected, onSelect, onAdd, focus, problems, size } = props;
  const flow = useRef<ReactFlowInstance<CardNode, LineEdge> | null>(null);
  const wrapper = useRef<HTMLDivElement | null>(null);
  const cards = useCards(graph, types, selected);
  const lines = useLines(graph);
  const hover = useHovered();
  const overview = useOverview({ cards: cards.shown, lines: lines.shown, size, focus });
  const placeAt = (point: { x: number; y: number }) => {
    const { x, y } = flow.current?.screenToFlowPosition(point) ?? point;
    return { x: snapped(x), y: snapped(y - cardHeight / 2) };
  };
  const connections = useConnections({ graph, types, perform, add: onAdd, placeAt });
  const pointer = usePointer();
  const dragging = useDragging({ graph, cards, perform });
  const { sizeNow, reveal } = useView({ flow, element: wrapper, size, cards: cards.shown, selected });
  const node = useNodeCommands({ graph, cards, lines, focus, perform, selected, onSelect });
  const tabStop = useCanvasFocus({ focus, graph, cards: cards.shown, canvas: wrapper, reveal });
  const menu = useCanvasMenu({ cards, lines, onSelect });
  const commands = useCanvasCommands({
    ...{ graph, cards, perform, onAdd, onSelect, flow, focus },
    lines: lines.shown,
    targets: node.targets,
    size: sizeNow,
    onProblem: connections.setRejection,
    pointer: () => placeAt(menu.place.current ?? pointer.current ?? middleOf(wrapper.current)),
  });
  const addAt = ({ target, clientX: x, clientY: y }: MouseEvent): void => {
    if (!(target as Element).classList.contains('react-flow__pane')) return;
    const place = placeAt({ x, y });
    onAdd({ place: { x: place.x - snapped(cardWidth / 2), y: place.y } });
  };
  const onAdded = (nodeId: string): void => {
    onSelect(nodeId);
    focus.request(nodeId);
  };
  const hasMinimap = cards.shown.length >= minimapFrom && cards.shown.length <= minimapTo;
  const open = lines.shown.find(({ id, selected: isSelected }) => id === hover.id || isSelected === true);
  return (
    <AddingContext value={onAdd}>
      <ConnectingContext value={connections.connecting}>
        <CardFocusContext value={focus}>
          <ResizingContext value={props.isReadOnly ? null : dragging.resize}>
            <NodeDialogs {...{ dialog: node.dialog, graph, types, perform, contest, onAdd, onClose: node.close }} />
            <CanvasMenu {...menu.menu}>
              <ReactFlow<CardNode, LineEdge>
                ref={wrapper}
                data-canvas
                {...tabStop}
                disableKeyboardA11y
                nodesFocusable={false}
                nodesDraggable={!props.isReadOnly}
                nodesConnectable={!props.isReadOnly}
                edgesReconnectable={!props.isReadOnly}
                onPaneMouseMove={pointer.move}
                onPaneMouseLeave={pointer.leave}
                {...overview.drawn}
                nodeTypes={nodeTypes}
                edgeTypes={edgeTypes}
                minZoom={0.05}
                maxZoom={2}
                snapToGrid
                snapGrid={grid}
                onInit={(instance) => {
                  flow.current = instance;
                }}
                onNodesChange={cards.change}
                onEdgesChange={lines.change}
                onNodeClick={(event, { id }) => {
                  // With these keys a click adds a card to the selection, or removes it.
                  if (!event.ctrlKey && !event.metaKey) onSelect(id);
                }}
                onPaneClick={() => onSelect(null)}
                onDoubleClick={addAt}
                zoomOnDoubleClick={false}
                {...dragging.handlers}
                onConnect={connections.connect}
                onConnectStart={connections.start}
                onConnectEnd={connections.end}
                onReconnect={connections.reconnect}
                isValidConnection={connections.isValid}
                onEdgeMouseEnter={(_event, { id }) => hover.enter(id)}
                onEdgeMouseLeave={hover.leave}
                deleteKeyCode={null}
                onlyRenderVisibleElements
                proOptions={proOptions}
                aria-roledescription="canvas"
                aria-label={`Graph: ${summaryOf(cards.shown.length, lines.shown.length, problems)}`}
              >
                <LoopFrames edges={graph.edges} cards={cards.shown} />
                <Background gap={16} />
                {/* The library's own button fits only the cards that it has drawn. */}
                <Controls showInteractive={false} showFitView={false}>
                  <ControlButton onClick={commands.fit} title={tooltipOf('view.fit')} aria-label="Fit view">
                    <Maximize size={12} aria-hidden="true" />
                  </ControlButton>
                </Controls>
                {overview.isFar && <OverviewLines cards={cards.shown} lines={lines.shown} />}
                {open !== undefined && !overview.isFar && (
                  <InsertButton
                    line={open}
                    cards={cards.shown}
                    onHover={(isOver) => (isOver ? hover.enter(open.id) : hover.leave())}
                  />
                )}
                <ConnectionHint rejection={connections.rejection} />
                {graph.nodes.length === 0 && <EmptyCanvas {...{ graph, types, perform, onAdded }} />}
                {hasMinimap && <MiniMap<CardNode> pannable zoomable nodeColor={minimapColour} />}
              </ReactFlow>
            </CanvasMenu>
          </ResizingContext>
        </CardFocusContext>
      </ConnectingContext>
    </AddingContext>
  );
}

/** `12 nodes, 14 connections, 2 problems`. */
function summaryOf(nodes: number, lines: number, problems: number): string {
  const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
  return [counted(nodes, 'node'), counted(lines, 'connection'), counted(problems, 'problem')].join(', ');
}

function minimapColour({ type, data }: CardNode): string {
  return type === 'note' ? 'var(--surface-hover)' : colourOf(data.type?.category ?? '');
}

const proOptions = { hideAttribution: true };

function snapped(value: number): number {
  return Math.round(value / grid[0]) * grid[0];
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where the pointer is on the canvas; null if it is elsewhere. */
function usePointer() {
  const place = useRef<Point | null>(null);
  const move = ({ clientX: x, clientY: y }: MouseEvent): void => {
    place.current = { x, y };
  };
  const leave = (): void => {
    place.current = null;
  };
  return {
    get current() {
      return place.current;
    },
    move,
    leave,
  };
}

function middleOf(element: HTMLElement | null): Point {
  const { left = 0, top = 0, width = 0, height = 0 } = element?.getBoundingClientRect() ?? {};
  return { x: left + width / 2, y: top + height / 2 };
}

/** The connection that the pointer is on. It stays a moment, so that the pointer can reach the button on it. */
function useHovered() {
  const [id, setId] = useState<string | null>(null);
  const timer = useRef(0);
  const enter = (line: string): void => {
    window.clearTimeout(timer.current);
    setId(line);
  };
  const leave = (): void => {
    timer.current = window.setTimeout(() => setId(null), hoverMs);
  };
  return { id, enter, leave };
}
