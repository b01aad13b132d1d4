import type { Catalogue } from '../component/component.ts';
import { isPolicy } from '../component/policies.ts';
import { isFlow } from '../engine/run-part.ts';
import type { Edge, Node } from '../graph/graph.ts';
import { isObject, type JsonObject, own } from '../json.ts';

interface FlowGraph {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly incoming: ReadonlyMap<string, readonly Edge[]>;
  readonly outgoing: ReadonlyMap<string, readonly Edge[]>;
  readonly catalogue: Catalogue;
}

/** How a node may end: each of its outgoing edges is taken or not. */
type End = (edge: Edge) => boolean;

/** The maximum number of combinations of routes and failures that are computed. */
const maxCombinations = 64;

/** The maximum number of nodes and edges that one check follows: a few milliseconds. */
const maxDecisions = 50_000;

/** The runs of a graph that begin at one trigger, one for each combination of its routes and error edges. */
export class PossibleRuns {
  readonly #graph: FlowGraph;
  /** The nodes that the trigger reaches, in the order of the edges; without those in a cycle. */
  readonly #order: readonly string[];
  readonly #reached: ReadonlySet<string>;
  #decisions = 0;

  constructor(graph: FlowGraph, trigger: string) {
    this.#graph = graph;
    this.#reached = closure([trigger], (nodeId) => this.#leaving(nodeId).map((edge) => edge.targetNodeId));
    this.#order = this.#sorted(trigger);
  }

  reaches(nodeId: string): boolean {
    return this.#reached.has(nodeId);
  }

  /**
   * The smallest number of values that a node receives in any run that performs it: infinity if no run performs it, null
   * if that is not known.
   */
  fewestValues(nodeId: string): number | null {
    // With `any`, the node does not wait for a second value.
    if (neededAt(this.#graph.nodes.get(nodeId)) === 'any' || this.#decisions > maxDecisions) return null;
    const before = closure([nodeId], (id) => this.#arriving(id).map((edge) => edge.sourceNodeId));
    this.#decisions += before.size;
    const path = this.#order.filter((id) => before.has(id));
    if (path.at(-1) !== nodeId) return null;
    const combinations = this.#combinations(path.slice(0, -1));
    if (combinations === null) return null;
    let fewest = Number.POSITIVE_INFINITY;
    for (const ends of combinations) {
      const count = this.#valuesAt(path, ends);
      if (count === null) return null;
      if (count > 0) fewest = Math.min(fewest, count);
    }
    return fewest;
  }

  /** The number of values with which the last node of a path begins; 0 if it is not performed. */
  #valuesAt(path: readonly string[], ends: ReadonlyMap<string, End>): number | null {
    const taken = new Map<string, number>();
    for (const [at, nodeId] of path.entries()) {
      const count = taken.get(nodeId) ?? 0;
      const needed = neededAt(this.#graph.nodes.get(nodeId));
      const isPerformed = at === 0 || count >= (typeof needed === 'number' ? needed : 1);
      // A node that waits for a number of values begins with the last of them.
      if (at === path.length - 1) return isPerformed ? (typeof needed === 'number' ? needed : count) : 0;
      if (!isPerformed) continue;
      for (const edge of this.#leaving(nodeId)) {
        this.#decisions += 1;
        if (ends.get(nodeId)?.(edge) !== false) taken.set(edge.targetNodeId, (taken.get(edge.targetNodeId) ?? 0) + 1);
      }
      if (this.#decisions > maxDecisions) return null;
    }
    return null;
  }

  /** Every way in which these nodes may end; null if there are too many. */
  #combinations(nodeIds: readonly string[]): readonly ReadonlyMap<string, End>[] | null {
    let combinations: ReadonlyMap<string, End>[] = [new Map()];
    for (const nodeId of nodeIds) {
      const ends = this.#endsOf(nodeId);
      if (ends === null || ends.length * combinations.length > maxCombinations) return null;
      if (ends.length === 1 && ends[0] === always) continue;
      combinations = combinations.flatMap((before) => ends.map((end) => new Map([...before, [nodeId, end]])));
    }
    return combinations;
  }

  #endsOf(nodeId: string): readonly End[] | null {
    const leaving = this.#leaving(nodeId);
    const routes = this.#routesOf(nodeId, leaving);
    if (routes === null) return null;
    const node = this.#graph.nodes.get(nodeId);
    const component = this.#graph.catalogue.get(node?.componentType ?? '');
    const policy = component && isPolicy('on_error', component) ? own(extraOf(node), 'on_error') : undefined;
    if (policy === 'continue') return [...routes, isDirect];
    const hasErrorEdge = leaving.some(({ edgeLabel }) => edgeLabel === 'error');
    return hasErrorEdge && policy !== 'stop' ? [...routes, isForErrors] : routes;
  }

  /** The possible ends of a node that succeeds; null for a switch with a legacy mapping, which is not analysed. */
  #routesOf(nodeId: string, leaving: readonly Edge[]): readonly End[] | null {
    const conditional = leaving.filter(({ edgeType }) => edgeType === 'conditional');
    if (conditional.some(({ conditionMapping }) => conditionMapping !== null)) return null;
    if (conditional.length === 0) return leaving.some(({ edgeLabel }) => edgeLabel === 'error') ? [isDirect] : [always];
    const values = new Set<string | null>(conditional.map(({ conditionValue }) => conditionValue));
    const hasFallback = own(extraOf(this.#graph.nodes.get(nodeId)), 'enable_fallback') === true;
    // Without a fallback, the switch may also take a route without an edge.
    if (!hasFallback || !values.has('__other__')) values.add(null);
    return [...values].map((value) => (edge) => isDirect(edge) || (isRoute(edge) && edge.conditionValue === value));
  }

  #leaving(nodeId: string): readonly Edge[] {
    return (this.#graph.outgoing.get(nodeId) ?? []).filter(isOnward);
  }

  #arriving(nodeId: string): readonly Edge[] {
    const edges = this.#graph.incoming.get(nodeId) ?? [];
    return edges.filter((edge) => isOnward(edge) && this.#reached.has(edge.sourceNodeId));
  }

  #sorted(trigger: string): readonly string[] {
    const waiting = new Map([...this.#reached].map((nodeId) => [nodeId, this.#arriving(nodeId).length]));
    const order = [trigger];
    for (const nodeId of order) {
      for (const { targetNodeId } of this.#leaving(nodeId)) {
        const left = (waiting.get(targetNodeId) ?? 0) - 1;
        waiting.set(targetNodeId, left);
        if (left === 0) order.push(targetNodeId);
      }
    }
    return order;
  }
}

function closure(starts: readonly string[], next: (nodeId: string) => readonly string[]): ReadonlySet<string> {
  const reached = new Set(starts);
  for (const nodeId of reached) for (const other of next(nodeId)) reached.add(other);
  return reached;
}

function isOnward(edge: Edge): boolean {
  return isFlow(edge) && edge.edgeLabel !== 'loop_return';
}

function always(): boolean {
  return true;
}

/** The first nodes of a body run even if the loop fails later. */
function isForErrors({ edgeLabel }: Edge): boolean {
  return edgeLabel === 'error' || edgeLabel === 'loop_body';
}

function isDirect({ edgeLabel, edgeType }: Edge): boolean {
  return edgeLabel !== 'error' && edgeType === 'direct';
}

function isRoute({ edgeType }: Edge): boolean {
  return edgeType === 'conditional';
}

/** The edges for which a node waits. */
function neededAt(node: Node | undefined): number | 'any' | 'all' {
  const join = own(extraOf(node), 'join');
  if (join === 'any') return 'any';
  return isObject(join) ? Number(join.count) : 'all';
}

function extraOf(node: Node | undefined): JsonObject {
  const extra = node === undefined ? undefined : own(node.config, 'extra_config');
  return isObject(extra) ? extra : {};
}
