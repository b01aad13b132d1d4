import {
  appliedChanges,
  type Edge,
  type EditRules,
  firstNewId,
  type Graph,
  type GraphChange,
  type GraphOperation,
  type Node,
  Problem,
  planOperations,
  type VersionedGraph,
} from '@millrace/core/editing';
import type { RemoteChange, SaveRequest } from './draft.ts';
import { browserRules } from './rules.ts';
import type { SaveAnswer } from './saving.ts';

/** The rules of the tests: the rules of a switch contain expressions without braces. */
export const rules = browserRules(
  (type) => (type === 'switch' ? { bareExpressions: ['rules.*.field'] } : {}),
  () => 'x',
);

type Outcome =
  | { readonly kind: 'saved'; readonly answer: SaveAnswer }
  | { readonly kind: 'stale'; readonly graph: VersionedGraph }
  | { readonly kind: 'rejected'; readonly index: number; readonly message: string };

/** The service in memory: the same planning of operations, ids as in the store, and the events of each change. */
export class ModelService {
  graph: VersionedGraph = { version: 1, nodes: [], edges: [] };
  /** Everything that was applied, in order. */
  readonly applied: GraphOperation[] = [];
  readonly #rules: EditRules;
  readonly #answers = new Map<string, SaveAnswer>();
  readonly #listeners = new Set<(changes: readonly RemoteChange[]) => void>();
  #lastId = 0;
  #time = 0;

  constructor(serviceRules: EditRules = rules) {
    this.#rules = serviceRules;
  }

  listen(listener: (changes: readonly RemoteChange[]) => void): void {
    this.#listeners.add(listener);
  }

  /** Nothing but JSON arrives at a real service. */
  apply(sent: SaveRequest): Outcome {
    const { requestId, version, operations } = JSON.parse(JSON.stringify(sent)) as SaveRequest;
    const known = this.#answers.get(requestId);
    if (known !== undefined) return { kind: 'saved', answer: known };
    if (version !== this.graph.version) return { kind: 'stale', graph: this.graph };
    try {
      const { changes, firsts } = planOperations(this.#rules, this.graph, operations);
      const saved = this.#save(changes);
      const answer = { version: this.graph.version, objects: firsts.map((at) => saved[at] ?? null) };
      this.#answers.set(requestId, answer);
      this.applied.push(...operations);
      return { kind: 'saved', answer };
    } catch (error) {
      if (!(error instanceof Problem) || typeof error.detail === 'string' || !('at' in error.detail)) throw error;
      const [issue] = error.detail;
      return { kind: 'rejected', index: Number(issue?.loc[2]), message: issue?.msg ?? '' };
    }
  }

  #save(changes: readonly GraphChange[]): readonly (Node | Edge | null)[] {
    const version = this.graph.version + 1;
    this.#time += 1;
    const ids = new Map<number, number>();
    const saved = changes.map((change) => this.#stored(change, ids));
    const events = changes.map((change, index) => ({ version, ...eventOf(change, saved[index] ?? null, ids) }));
    this.graph = appliedChanges(this.graph, changes, { version, saved });
    for (const listener of this.#listeners) listener(events);
    return saved;
  }

  #stored(change: GraphChange, ids: Map<number, number>): Node | Edge | null {
    if (change.kind === 'delete_node' || change.kind === 'delete_edge') return null;
    const isNew = change.kind === 'create_node' || change.kind === 'create_edge';
    if (isNew) this.#lastId += 1;
    const given = change.id ?? 0;
    if (isNew) ids.set(given, this.#lastId);
    const id = isNew ? this.#lastId : (ids.get(given) ?? given);
    if ('edge' in change) return { ...change.edge, id };
    const { config } = change.node;
    const link = config.llm_model_config_id;
    const isTemporary = typeof link === 'number' && link >= firstNewId;
    const linked = isTemporary ? { ...config, llm_model_config_id: ids.get(link) ?? link } : config;
    return { ...change.node, config: linked, id, updatedAt: this.#time };
  }
}

type Announced = RemoteChange extends infer Change ? (Change extends unknown ? Omit<Change, 'version'> : never) : never;

function eventOf(change: GraphChange, stored: Node | Edge | null, ids: ReadonlyMap<number, number>): Announced {
  if (change.kind === 'delete_node') return { kind: 'node_deleted', nodeId: change.nodeId };
  if (change.kind === 'delete_edge') return { kind: 'edge_deleted', id: ids.get(change.id) ?? change.id };
  return 'node' in change ? { kind: 'node', node: stored as Node } : { kind: 'edge', edge: stored as Edge };
}

/** A graph without the times of changes: only the service knows those of changes that follow from an operation. */
export function timeless({ nodes, edges }: Graph): Graph {
  return { nodes: nodes.map((node) => ({ ...node, updatedAt: 0 })), edges };
}

/** What a person sees of a graph: no ids, and models by name. */
export function content({ nodes, edges }: Graph) {
  const names = new Map(nodes.map(({ id, nodeId }) => [id, nodeId]));
  const shown = nodes.map(({ id: _id, updatedAt: _at, config, ...node }) => {
    const { llm_model_config_id: link, ...rest } = config;
    return [node.nodeId, { ...node, config: rest, model: typeof link === 'number' ? names.get(link) : null }] as const;
  });
  const lines = edges.map(({ id: _id, ...edge }) => JSON.stringify(edge, Object.keys(edge).sort()));
  return { nodes: Object.fromEntries(shown), edges: lines.sort() };
}
