import { isSameJson } from '../base/json-same.ts';
import type { JsonObject } from '../json.ts';
import type { Instant } from '../time.ts';
import type { Budget } from './budget.ts';

/** A node of a workflow: one component with its config and its position on the canvas. */
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
  /**
   * The document described in `node-config.ts`. Its keys are part of the user's language, so they are snake_case here
   * too.
   */
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
  /** Among ready nodes, those with a higher priority start first. */
  readonly priority: number;
}

export interface Graph {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

/** Ids from this value on are temporary ids of objects that are not stored yet. No database reaches it. */
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
  /** Whether MCP clients of its owner and editors may call it as a tool. */
  readonly mcp: boolean;
  readonly tags: readonly string[] | null;
  readonly errorHandlerWorkflowId: number | null;
  readonly inputSchema: JsonObject | null;
  readonly outputSchema: JsonObject | null;
  readonly nodeCount: number;
  readonly edgeCount: number;
  /** Incremented on each change of the graph. A run is pinned to the version it started with. */
  readonly version: number;
  /** The version that triggers run; null for a live workflow, whose triggers run the newest. */
  readonly publishedVersion: number | null;
  readonly maxExecutionSeconds: number;
  /** The limit of runs in status running; null for no limit. */
  readonly concurrency: number | null;
  /** Text with expressions: the limit applies to each of its values separately. */
  readonly concurrencyKey: string | null;
  /** What its models may use. */
  readonly budget: Budget | null;
  /** Waiting runs with the highest priority start first. */
  readonly priority: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export function findNode(graph: Graph, nodeId: string): Node | undefined {
  return graph.nodes.find((node) => node.nodeId === nodeId);
}

/** The contents of a node without its id and the time of its last change. */
type NodeFields = Omit<Node, 'id' | 'updatedAt'> & Partial<Pick<Node, 'id' | 'updatedAt'>>;

/** Whether two nodes have the same contents, including their configs; ids and times are not compared. */
export function isSameNode(left: NodeFields, right: NodeFields): boolean {
  const { config: a, id: _one, updatedAt: _then, ...one } = left;
  const { config: b, id: _other, updatedAt: _now, ...other } = right;
  return isSameJson(one, other) && isSameJson(a, b);
}

/** The contents of an edge without its id. */
type EdgeFields = Omit<Edge, 'id'> & Partial<Pick<Edge, 'id'>>;

/** Whether two edges have the same contents; ids are not compared. */
export function isSameEdge({ id: _one, ...left }: EdgeFields, { id: _other, ...right }: EdgeFields): boolean {
  return isSameJson(left, right);
}

export function findEdge(graph: Graph, id: number): Edge | undefined {
  return graph.edges.find((edge) => edge.id === id);
}
