import { isSameJson } from '../base/json-same.ts';
import type { JsonObject } from '../json.ts';
import type { Instant } from '../time.ts';

/** A node of a workflow: one component with its config and its place on the canvas. */
export interface Node {
  readonly id: number;
  /** Unique in its workflow; the name that edges and expressions use. */
  readonly nodeId: string;
  readonly label: string | null;
  readonly componentType: string;
  readonly isEntryPoint: boolean;
  readonly interruptBefore: boolean;
  readonly interruptAfter: boolean;
  readonly positionX: number;
  readonly positionY: number;
  /** The document described in `node-config.ts`. Its keys are the user's language: snake_case, here too. */
  readonly config: JsonObject;
  readonly subworkflowId: number | null;
  readonly codeBlockId: number | null;
  readonly updatedAt: Instant;
}

export const edgeTypes = ['direct', 'conditional'] as const;
export type EdgeType = (typeof edgeTypes)[number];

/** The specification's labels, and `error`: taken when the source fails after its retries. */
export const edgeLabels = ['', 'llm', 'tool', 'memory', 'output_parser', 'loop_body', 'loop_return', 'error'] as const;
export type EdgeLabel = (typeof edgeLabels)[number];

export interface Edge {
  readonly id: number;
  readonly sourceNodeId: string;
  readonly targetNodeId: string;
  readonly edgeType: EdgeType;
  readonly edgeLabel: EdgeLabel;
  /** Legacy: route value → node id, or `__end__`. */
  readonly conditionMapping: Readonly<Record<string, string>> | null;
  readonly conditionValue: string;
  /** Higher goes first among ready nodes. */
  readonly priority: number;
}

export interface Graph {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

/** Ids from here on stand for objects that are planned and not stored yet. No database counts this far. */
export const firstNewId = 2 ** 52;

export const emptyGraph: Graph = { nodes: [], edges: [] };

/** A workflow without its graph. */
export interface Workflow {
  readonly id: number;
  readonly ownerId: number;
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  readonly isActive: boolean;
  readonly isPublic: boolean;
  readonly isDefault: boolean;
  readonly tags: readonly string[] | null;
  readonly errorHandlerWorkflowId: number | null;
  readonly inputSchema: JsonObject | null;
  readonly outputSchema: JsonObject | null;
  readonly nodeCount: number;
  readonly edgeCount: number;
  /** Goes up on each change of the graph. A run pins the version it started with. */
  readonly version: number;
  /** The version that triggers run; null for a live workflow, whose triggers run the newest. */
  readonly publishedVersion: number | null;
  readonly maxExecutionSeconds: number;
  /** How many runs may be running at once; null for no limit. */
  readonly concurrency: number | null;
  /** Text with expressions: the limit holds for each value of it. */
  readonly concurrencyKey: string | null;
  /** Of runs that wait, those of the highest priority go first. */
  readonly priority: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export function findNode(graph: Graph, nodeId: string): Node | undefined {
  return graph.nodes.find((node) => node.nodeId === nodeId);
}

/** What a node says, beside which one it is and when it was last changed. */
type NodeFields = Omit<Node, 'id' | 'updatedAt'> & Partial<Pick<Node, 'id' | 'updatedAt'>>;

/** Whether two nodes say the same, down to their configs: their ids and moments are not compared. */
export function isSameNode(left: NodeFields, right: NodeFields): boolean {
  const { config: a, id: _one, updatedAt: _then, ...one } = left;
  const { config: b, id: _other, updatedAt: _now, ...other } = right;
  return isSameJson(one, other) && isSameJson(a, b);
}

/** What an edge says, beside which one it is. */
type EdgeFields = Omit<Edge, 'id'> & Partial<Pick<Edge, 'id'>>;

/** Whether two edges say the same: their ids are not compared. */
export function isSameEdge({ id: _one, ...left }: EdgeFields, { id: _other, ...right }: EdgeFields): boolean {
  return isSameJson(left, right);
}

export function findEdge(graph: Graph, id: number): Edge | undefined {
  return graph.edges.find((edge) => edge.id === id);
}
