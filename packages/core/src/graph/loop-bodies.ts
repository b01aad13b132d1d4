import type { Edge } from './graph.ts';

/** The node type whose body runs once for each item. */
export const loopType = 'loop';

/**
 * The most loops around one node, more than anyone needs. Each frame's key names all loops around it, and the URL of a
 * step that waits in the innermost loop names its frame: twenty loops with the longest names fit in a URL that proxies
 * accept.
 */
export const maxLoopDepth = 20;

/** An error in a loop, at a node or at an edge. */
export interface LoopIssue {
  readonly message: string;
  readonly nodeId?: string;
  readonly edgeId?: number;
}

/** The bodies of all loops. */
export interface LoopBodies {
  /** The loop whose body contains a node; of nested loops the innermost. Nodes outside of all bodies have no entry. */
  readonly loopOf: ReadonlyMap<string, string>;
  readonly issues: readonly LoopIssue[];
}

interface LoopGraph {
  /** The edges that runs follow. */
  readonly edges: readonly Edge[];
  /** The nodes at which a run may start. */
  readonly starts: Iterable<string>;
  readonly isLoop: (nodeId: string) => boolean;
}

const nothing: LoopBodies = { loopOf: new Map(), issues: [] };

/**
 * Finds the bodies of all loops that the starts reach: from `loop_body` to `loop_return`. No other edge may enter or
 * leave a body, so that each of its nodes runs once for each item.
 */
export function loopBodies(graph: LoopGraph): LoopBodies {
  const finder = new BodyFinder(graph);
  // Most graphs have no loop and cost only one scan of their edges.
  if (finder.loops.length === 0 && finder.edges.every(({ edgeLabel }) => !isLoopLabel(edgeLabel))) return nothing;
  return finder.find();
}

/** The loops whose bodies contain a node, the outermost first. */
export function loopsAround(nodeId: string, loopOf: ReadonlyMap<string, string>): readonly string[] {
  const around: string[] = [];
  for (let loop = loopOf.get(nodeId); loop !== undefined && !around.includes(loop); loop = loopOf.get(loop)) {
    around.unshift(loop);
  }
  return around;
}

function isOnward({ edgeLabel }: Edge): boolean {
  return edgeLabel !== 'loop_return';
}

function tooDeepAt(nodeId: string): LoopIssue {
  const message = `The bodies of more than ${maxLoopDepth} loops lead to node '${nodeId}'. Loops may be nested ${maxLoopDepth} deep, and only an edge labelled 'loop_return' may leave a body.`;
  return { nodeId, message };
}

function isLoopLabel(label: string): boolean {
  return label === 'loop_body' || label === 'loop_return';
}

class BodyFinder {
  readonly edges: readonly Edge[];
  readonly loops: readonly string[];
  readonly #starts: ReadonlySet<string>;
  readonly #isLoop: (nodeId: string) => boolean;
  readonly #outgoing: ReadonlyMap<string, readonly Edge[]>;
  readonly #incoming: ReadonlyMap<string, readonly Edge[]>;
  readonly #returns: ReadonlyMap<string, readonly Edge[]>;
  /** For each loop the nodes of its body, including those of nested bodies. */
  readonly #members = new Map<string, ReadonlySet<string>>();

  constructor({ edges, starts, isLoop }: LoopGraph) {
    this.#starts = new Set(starts);
    this.#isLoop = isLoop;
    this.#outgoing = Map.groupBy(edges.filter(isOnward), (edge) => edge.sourceNodeId);
    const reached = this.#reach(this.#starts, () => true);
    this.edges = edges.filter(({ sourceNodeId }) => reached.has(sourceNodeId));
    this.#incoming = Map.groupBy(this.edges.filter(isOnward), (edge) => edge.targetNodeId);
    this.#returns = Map.groupBy(
      this.edges.filter((edge) => !isOnward(edge)),
      (edge) => edge.targetNodeId,
    );
    this.loops = [...reached].filter(isLoop);
  }

  find(): LoopBodies {
    const tooDeep = this.#findMembers();
    const around = this.#loopsAround();
    const loopOf = new Map([...around].map(([nodeId, loops]) => [nodeId, loops.at(-1) ?? '']));
    // Without the inner bodies the edges cannot be checked correctly.
    if (tooDeep !== null) return { loopOf, issues: [tooDeep] };
    const issues = [
      ...this.loops.flatMap((loop) => this.#loopIssues(loop)),
      ...[...around].flatMap(([nodeId, loops]) => this.#strangerIssues(nodeId, loops)),
      ...this.edges.flatMap((edge) => this.#edgeIssues(edge, loopOf)),
    ];
    return { loopOf, issues };
  }

  /** Stops if too many loops lead to one node, so that no node is visited more often than loops may be nested. */
  #findMembers(): LoopIssue | null {
    const leading = new Map<string, number>();
    for (const loop of this.loops) {
      const body = this.#reachedByBody(loop);
      for (const nodeId of body) {
        const count = (leading.get(nodeId) ?? 0) + 1;
        if (count > maxLoopDepth) return tooDeepAt(nodeId);
        leading.set(nodeId, count);
      }
      this.#members.set(loop, this.#membersOf(loop, body));
    }
    return null;
  }

  #reachedByBody(loop: string): ReadonlySet<string> {
    const entries = (this.#outgoing.get(loop) ?? []).filter(({ edgeLabel }) => edgeLabel === 'loop_body');
    return this.#reach(
      entries.map((edge) => edge.targetNodeId),
      () => true,
    );
  }

  #membersOf(loop: string, body: ReadonlySet<string>): ReadonlySet<string> {
    const isOther = (edge: Edge) => edge.sourceNodeId !== loop || edge.edgeLabel !== 'loop_body';
    const isEnteredBy = (edge: Edge) => !body.has(edge.sourceNodeId) && isOther(edge);
    const entered = [...body].filter((id) => this.#starts.has(id) || this.#incoming.get(id)?.some(isEnteredBy));
    const outside = this.#reach(entered, isOther);
    const returning = this.#leadingToReturns(loop, body);
    // A node that is also reached without the loop is in its body only if the loop waits for it; otherwise an edge
    // leads out to it.
    return new Set([...body].filter((id) => id !== loop && (!outside.has(id) || returning.has(id))));
  }

  #isIn(nodeId: string, loop: string | undefined): boolean {
    return loop !== undefined && this.#members.get(loop)?.has(nodeId) === true;
  }

  /**
   * For each node in a body the loops around it, the outermost first: a loop is in as many bodies as there are loops
   * around it.
   */
  #loopsAround(): ReadonlyMap<string, readonly string[]> {
    const around = new Map<string, string[]>();
    for (const [loop, members] of this.#members) {
      for (const nodeId of members) {
        const loops = around.get(nodeId);
        if (loops === undefined) around.set(nodeId, [loop]);
        else loops.push(loop);
      }
    }
    const depth = (loop: string) => around.get(loop)?.length ?? 0;
    return new Map([...around].map(([nodeId, loops]) => [nodeId, loops.toSorted((a, b) => depth(a) - depth(b))]));
  }

  #strangerIssues(nodeId: string, around: readonly string[]): readonly LoopIssue[] {
    const stranger = around.find((loop, index) => index > 0 && !this.#isIn(loop, around[index - 1]));
    if (stranger === undefined) return [];
    const message = `Node '${nodeId}' is in the bodies of '${stranger}' and '${around[around.indexOf(stranger) - 1]}', neither of which contains the other.`;
    return [{ nodeId, message }];
  }

  #loopIssues(loop: string): readonly LoopIssue[] {
    if (this.#members.get(loop)?.size === 0) {
      const message = `Loop '${loop}' has no body: connect it to the first node of its body by an edge labelled 'loop_body'.`;
      return [{ nodeId: loop, message }];
    }
    if (this.#returns.has(loop)) return [];
    const message = `Nothing returns to loop '${loop}': connect the last node of its body to it by an edge labelled 'loop_return'.`;
    return [{ nodeId: loop, message }];
  }

  #edgeIssues(edge: Edge, loopOf: ReadonlyMap<string, string>): readonly LoopIssue[] {
    const message = this.#issueOf(edge, loopOf);
    return message === null ? [] : [{ edgeId: edge.id, message }];
  }

  #issueOf({ sourceNodeId, targetNodeId, edgeLabel }: Edge, loopOf: ReadonlyMap<string, string>): string | null {
    const name = `The edge ${sourceNodeId} -> ${targetNodeId}`;
    const [from, to] = [loopOf.get(sourceNodeId), loopOf.get(targetNodeId)];
    if (edgeLabel === 'loop_body') {
      if (!this.#isLoop(sourceNodeId)) return `${name} is labelled 'loop_body', but '${sourceNodeId}' is not a loop.`;
      if (to === sourceNodeId) return null;
      return `${name} is labelled 'loop_body', but '${targetNodeId}' is not in that body alone.`;
    }
    if (edgeLabel === 'loop_return') {
      if (!this.#isLoop(targetNodeId)) return `${name} is labelled 'loop_return', but '${targetNodeId}' is not a loop.`;
      if (from === targetNodeId) return null;
      const body = from === undefined ? 'in no body' : `in the body of '${from}'`;
      return `${name} is labelled 'loop_return', but '${sourceNodeId}' is ${body}, not in that of '${targetNodeId}'.`;
    }
    if (from === to) return null;
    if (from !== undefined && !this.#isIn(targetNodeId, from)) {
      return `${name} leaves the body of loop '${from}'. Only an edge labelled 'loop_return' may, and it leads to the loop.`;
    }
    return `${name} enters the body of loop '${to}'. Only the loop's own edge labelled 'loop_body' may; expressions in the body can name every node before the loop.`;
  }

  #reach(starts: Iterable<string>, follows: (edge: Edge) => boolean): Set<string> {
    const reached = new Set(starts);
    for (const nodeId of reached) {
      for (const edge of this.#outgoing.get(nodeId) ?? []) if (follows(edge)) reached.add(edge.targetNodeId);
    }
    return reached;
  }

  /** The nodes of a body from which the loop continues. */
  #leadingToReturns(loop: string, body: ReadonlySet<string>): ReadonlySet<string> {
    const ends = (this.#returns.get(loop) ?? []).map((edge) => edge.sourceNodeId);
    const leading = new Set(ends.filter((id) => body.has(id)));
    for (const nodeId of leading) {
      for (const { sourceNodeId } of this.#incoming.get(nodeId) ?? []) {
        if (body.has(sourceNodeId)) leading.add(sourceNodeId);
      }
    }
    return leading;
  }
}
