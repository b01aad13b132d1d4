import type { Connection, FinalConnectionState, OnConnectStart } from '@xyflow/react';
import { useMemo, useState } from 'react';
import type { Graph } from '../../state/graph.ts';
import type { Perform } from '../../state/use-draft.ts';
import type { LineEdge, NodeTypes } from '../flow.ts';
import { cardHeight, cardWidth, inputPort, subPort } from '../geometry.ts';
import { Connecting } from './connecting.ts';
import { connectionEdge } from './connection.ts';
import { ConnectionRules, connectionOf, notConnected, type PortOfNode } from './connection-rules.ts';

interface Options {
  readonly graph: Graph;
  readonly types: NodeTypes;
  readonly perform: Perform;
  readonly add: (request: { readonly from: PortOfNode; readonly place: { x: number; y: number } }) => void;
  /** The point of the graph at a point of the page. */
  readonly placeAt: (point: { x: number; y: number }) => { x: number; y: number };
}

/** Connections drawn with a pointer: checked by the rule of the service, rejected with its reason. */
export function useConnections({ graph, types, perform, add, placeAt }: Options) {
  const [connecting] = useState(() => new Connecting());
  const [rejection, setRejection] = useState<string | null>(null);
  const rules = useMemo(() => lazily(() => new ConnectionRules(graph, types)), [graph, types]);
  const connect = (connection: Connection): void => {
    setRejection(null);
    perform(`Connect ${connection.source} to ${connection.target}`, [
      { op: 'create_edge', edge: connectionEdge(connection) },
    ]);
  };
  const start: OnConnectStart = (_event, { nodeId, handleId, handleType }) => {
    setRejection(null);
    if (nodeId === null || handleType === null) return;
    connecting.start({ nodeId, port: handleId ?? '', kind: handleType }, rules());
  };
  const drop = (from: PortOfNode, element: Element | null, point: { x: number; y: number }): void => {
    const target = element?.closest('.react-flow__node')?.getAttribute('data-id');
    if (target === from.nodeId) return;
    if (target === undefined || target === null) {
      if (element?.closest('.react-flow__pane')) add({ from, place: cornerFor(from, placeAt(point)) });
      return;
    }
    const found = rules().portFor(from, target);
    if ('rejection' in found) setRejection(notConnected(found.rejection));
    else {
      const kind = from.kind === 'source' ? 'target' : 'source';
      connect(connectionOf(from, { nodeId: target, port: found.port, kind }));
    }
  };
  const end = (event: MouseEvent | TouchEvent, state: FinalConnectionState): void => {
    const { from } = connecting;
    connecting.end();
    if (from === null || state.isValid === true) return;
    const { toHandle } = state;
    if (toHandle !== null && toHandle.nodeId !== from.nodeId) {
      const { nodeId, id, type: kind } = toHandle;
      setRejection(notConnected(rules().rejection(from, { nodeId, port: id ?? '', kind }) ?? ''));
      return;
    }
    const { clientX: x, clientY: y } =
      'changedTouches' in event ? (event.changedTouches[0] ?? { clientX: 0, clientY: 0 }) : event;
    drop(from, document.elementFromPoint(x, y), { x, y });
  };
  const reconnect = (line: LineEdge, connection: Connection): void => {
    if (line.data === undefined) return;
    const plain = { edge_type: 'direct' as const, edge_label: '' as const, condition_value: '' };
    perform(`Reconnect ${connection.source} to ${connection.target}`, [
      { op: 'update_edge', edge_id: line.data.edge.id, changes: { ...plain, ...connectionEdge(connection) } },
    ]);
  };
  const isValid = ({ source, target, sourceHandle = null, targetHandle = null }: Connection | LineEdge): boolean =>
    rules().rejectionOf({ source, target, sourceHandle, targetHandle }) === null;
  return { connecting, rejection, setRejection, rules, connect, start, end, reconnect, isValid };
}

/** The corner of a new card whose port is where the line was dropped: to the left of it, below it or above it. */
function cornerFor({ port, kind }: PortOfNode, { x, y }: { x: number; y: number }): { x: number; y: number } {
  if (kind === 'source') return port === subPort ? { x: x - cardWidth / 2, y: y - cardHeight / 2 } : { x, y };
  return port === inputPort ? { x: x - cardWidth, y } : { x: x - cardWidth / 2, y: y + cardHeight / 2 };
}

/** A value that is computed when it is first used. */
function lazily<T>(compute: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= compute();
    return value;
  };
}
