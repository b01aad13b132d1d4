import type { Operation } from '../../api/graph.ts';
import type { NodeType } from '../../api/node-types.ts';
import type { Graph, GraphEdge, GraphNode } from '../../state/graph.ts';
import { freeName, newNode, type Place } from '../../state/new-node.ts';
import { connectionEdge } from '../connect/connection.ts';
import { ConnectionRules, connectionOf, type PortOfNode } from '../connect/connection-rules.ts';
import type { NodeTypes } from '../flow.ts';
import { cardWidth, geometryOf } from '../geometry.ts';

/** Where a new node goes, and what it is connected to. */
export interface AddRequest {
  readonly place?: Place;
  /** The port to connect it to. */
  readonly from?: PortOfNode;
  /** The connection into which it is inserted. */
  readonly edge?: GraphEdge;
}

interface Context {
  readonly graph: Graph;
  readonly types: NodeTypes;
}

/** The space between two cards, and between a card and what fills its slots. */
const gap = { x: 64, y: 72 };

/** The node types that fit a request. */
export function fittingTypes(request: AddRequest, { graph, types }: Context): NodeTypes {
  if (request.from === undefined && request.edge === undefined) return types;
  const fitting = Object.entries(types).filter(([, type]) => connections(request, type, { graph, types }) !== null);
  return Object.fromEntries(fitting);
}

/** The operations that add a node, connected as requested, and its name. */
export function addOperations(type: NodeType, request: AddRequest, context: Context) {
  const { graph, types } = context;
  const place = request.place ?? placeFor(request, context);
  const shift = request.edge === undefined ? null : roomFor(request.edge, graph);
  const shifted = graph.nodes
    .filter((node) => shift !== null && node.position_x >= shift.from)
    .map((node) => {
      return { ...node, position_x: node.position_x + (shift?.by ?? 0) };
    });
  const moves = shifted.map(({ node_id: name, position_x: x }) => {
    return { op: 'update_node' as const, node_id: name, changes: { position_x: x } };
  });
  const left = graph.nodes.filter((node) => shift === null || node.position_x < shift.from);
  const node = newNode(type, [...left, ...shifted], place);
  const edges = connections(request, type, { graph, types }) ?? [];
  return { nodeId: node.node_id, operations: [...moves, { op: 'create_node' as const, node }, ...edges] };
}

/** The operations that connect a node of a type, which has the next free name; null if the type does not fit. */
function connections(request: AddRequest, type: NodeType, { graph, types }: Context): readonly Operation[] | null {
  const nodeId = freeName(type, graph.nodes);
  const node = { ...unsaved, node_id: nodeId, component_type: type.component_type } as unknown as GraphNode;
  const rules = new ConnectionRules({ ...graph, nodes: [...graph.nodes, node] }, types);
  if (request.edge !== undefined) return inserted(request.edge, nodeId, rules);
  if (request.from === undefined) return [];
  const found = rules.portFor(request.from, nodeId);
  if ('rejection' in found) return null;
  const kind = request.from.kind === 'source' ? 'target' : 'source';
  const connection = connectionOf(request.from, { nodeId, port: found.port, kind });
  return [{ op: 'create_edge', edge: connectionEdge(connection) }];
}

/** The fields that the rules of edges read of a node that does not exist yet. */
const unsaved = { id: 0, config: { extra_config: {} }, updated_at: '1970-01-01T00:00:00.000000' };

/** The operations that lead an edge through a node. What leads back to a loop does so after the new node. */
function inserted(edge: GraphEdge, nodeId: string, rules: ConnectionRules): readonly Operation[] | null {
  if (!isInsertable(edge)) return null;
  const { source_node_id: source, target_node_id: target } = edge;
  const inPort = rules.portFor({ nodeId: source, port: 'out', kind: 'source' }, nodeId);
  const outPort = rules.portFor({ nodeId: target, port: 'in', kind: 'target' }, nodeId);
  const fits = 'port' in inPort && inPort.port === 'in' && 'port' in outPort && outPort.port === 'out';
  if (!fits) return null;
  const isReturn = edge.edge_label === 'loop_return';
  const changes = isReturn ? { source_node_id: nodeId } : { target_node_id: nodeId };
  const ends = isReturn
    ? { source_node_id: source, target_node_id: nodeId }
    : { source_node_id: nodeId, target_node_id: target };
  return [
    { op: 'update_edge', edge_id: edge.id, changes },
    { op: 'create_edge', edge: ends },
  ];
}

/** Whether a node can be inserted into an edge: those that fill slots connect exactly two nodes. */
export function isInsertable({ edge_label: label }: Pick<GraphEdge, 'edge_label'>): boolean {
  return ['', 'error', 'loop_body', 'loop_return'].includes(label);
}

/** The place of a new node: beside or below the node it is connected to, or in the middle of the connection. */
function placeFor({ from, edge }: AddRequest, { graph, types }: Context): Place | undefined {
  const find = (name: string) => graph.nodes.find(({ node_id: nodeId }) => nodeId === name);
  if (edge !== undefined) {
    const source = find(edge.source_node_id);
    return source && { x: source.position_x + cardWidth + gap.x, y: source.position_y };
  }
  const node = from && find(from.nodeId);
  if (node === undefined) return undefined;
  const { height, ports } = geometryOf(node, types[node.component_type], graph.edges);
  const port = ports.find(({ id, kind }) => id === from?.port && kind === from.kind);
  const [x, y] = [node.position_x, node.position_y];
  if (port?.side === 'bottom') return { x: Math.round(x + port.x - cardWidth / 2), y: y + height + gap.y };
  if (port?.side === 'top') return { x, y: y - height - gap.y };
  return { x: from?.kind === 'target' ? x - cardWidth - gap.x : x + cardWidth + gap.x, y };
}

/** How far the nodes from the target of an edge on must move to the right, so that a card fits between its ends. */
function roomFor(edge: GraphEdge, { nodes }: Graph): { readonly from: number; readonly by: number } | null {
  const source = nodes.find(({ node_id: name }) => name === edge.source_node_id);
  const target = nodes.find(({ node_id: name }) => name === edge.target_node_id);
  if (source === undefined || target === undefined || target.position_x <= source.position_x) return null;
  const by = source.position_x + 2 * (cardWidth + gap.x) - target.position_x;
  return by > 0 ? { from: target.position_x, by } : null;
}
