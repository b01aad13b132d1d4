import type { Edge } from './graph.ts';

/** The node type whose body runs once for each item. */
export const loopType = 'loop';

/** Something wrong about a loop: at a node, or at an edge. */
export interface LoopFault {
  readonly message: string;
  readonly nodeId?: string;
  readonly edgeId?: number;
}

/** Which nodes are in the bodies of which loops. */
export interface LoopBodies {
  /** The loop in whose body a node is; of nested loops the innermost. Nodes in no body are not in it. */
  readonly loopOf: ReadonlyMap<string, string>;
  readonly faults: readonly LoopFault[];
}

interface LoopGraph {
  /** Those that runs follow. */
  readonly edges: readonly Edge[];
  /** The nodes that may be where a run starts. */
  readonly starts: Iterable<string>;
  readonly isLoop: (nodeId: string) => boolean;
}

const nothing: LoopBodies = { loopOf: new Map(), faults: [] };

/**
 * Finds the bodies of all loops that the starts reach: what `loop_body` leads to, until `loop_return`. An edge may
 * neither enter a body nor leave it in another way, so that each of its nodes runs once for each item.
 */
export function loopBodies(graph: LoopGraph): LoopBodies {
  const finder = new BodyFinder(graph);
  // Most graphs have no loop: they cost one look at their edges.
  if (finder.loops.length === 0 && finder.edges.every(({ edgeLabel }) => !isLoopLabel(edgeLabel))) return nothing;
  return finder.find();
}

/** The loops in whose bodies a node is, the outermost first. */
export function loopsAround(nodeId: string, loopOf: ReadonlyMap<string, string>): readonly string[] {
  const around: string[] = [];
  for (let loop = loopOf.get(nodeId); loop !== undefined && !around.includes(loop); loop = loopOf.get(loop)) {
    around.unshift(loop);
  }
  return around;
}

function isLoopLabel(label: string): boolean {
  return label === 'loop_body' || label === 'loop_return';
}

class BodyFinder {
  readonly edges: readonly Edge[];
  readonly loops: readonly string[];
  readonly #starts: readonly string[];
  readonly #isLoop: (nodeId: string) => boolean;
  readonly #outgoing: ReadonlyMap<string, readonly Edge[]>;
  readonly #incoming: ReadonlyMap<string, readonly Edge[]>;
  readonly #members = new Map<string, ReadonlySet<string>>();

  constructor({ edges, starts, isLoop }: LoopGraph) {
    this.#starts = [...starts];
    this.#isLoop = isLoop;
    const onward = edges.filter(({ edgeLabel }) => edgeLabel !== 'loop_return');
    this.#outgoing = Map.groupBy(onward, (edge) => edge.sourceNodeId);
    this.#incoming = Map.groupBy(onward, (edge) => edge.targetNodeId);
    const reached = this.#reach(this.#starts, () => true);
    this.edges = edges.filter(({ sourceNodeId }) => reached.has(sourceNodeId));
    this.loops = [...reached].filter(isLoop);
  }

  find(): LoopBodies {
    for (const loop of this.loops) this.#members.set(loop, this.#membersOf(loop));
    const faults: LoopFault[] = this.loops.flatMap((loop) => this.#loopFaults(loop));
    const loopOf = new Map<string, string>();
    for (const nodeId of new Set([...this.#members.values()].flatMap((members) => [...members]))) {
      const around = this.#around(nodeId);
      const innermost = around.at(-1);
      if (innermost !== undefined) loopOf.set(nodeId, innermost);
      const stranger = around.find((loop, index) => index > 0 && !this.#isIn(loop, around[index - 1]));
      if (stranger === undefined) continue;
      const message = `Node '${nodeId}' is in the bodies of '${stranger}' and '${around[around.indexOf(stranger) - 1]}', of which neither is in the other's.`;
      faults.push({ nodeId, message });
    }
    return { loopOf, faults: [...faults, ...this.edges.flatMap((edge) => this.#edgeFaults(edge, loopOf))] };
  }

  /** The nodes of a body, those of the bodies in it included. */
  #membersOf(loop: string): ReadonlySet<string> {
    const entries = (this.#outgoing.get(loop) ?? []).filter(({ edgeLabel }) => edgeLabel === 'loop_body');
    const body = this.#reach(
      entries.map((edge) => edge.targetNodeId),
      () => true,
    );
    const outside = this.#reach(this.#starts, (edge) => edge.sourceNodeId !== loop || edge.edgeLabel !== 'loop_body');
    const returning = this.#leadingTo(this.#returnsTo(loop).map((edge) => edge.sourceNodeId));
    // What is reached without the loop, too, is in its body only if the loop waits for it: else an edge leads out to it.
    return new Set([...body].filter((id) => id !== loop && (!outside.has(id) || returning.has(id))));
  }

  #returnsTo(loop: string): readonly Edge[] {
    return this.edges.filter(({ edgeLabel, targetNodeId }) => edgeLabel === 'loop_return' && targetNodeId === loop);
  }

  #isIn(nodeId: string, loop: string | undefined): boolean {
    return loop !== undefined && this.#members.get(loop)?.has(nodeId) === true;
  }

  /** The loops around a node, the outermost first: a loop is in as many bodies as are around it. */
  #around(nodeId: string): readonly string[] {
    const depth = (loop: string) => this.loops.filter((outer) => this.#isIn(loop, outer)).length;
    return this.loops
      .filter((loop) => this.#isIn(nodeId, loop))
      .map((loop) => ({ loop, depth: depth(loop) }))
      .sort((a, b) => a.depth - b.depth)
      .map(({ loop }) => loop);
  }

  #loopFaults(loop: string): readonly LoopFault[] {
    if (this.#members.get(loop)?.size === 0) {
      const message = `Loop '${loop}' has no body: connect it to the first node of its body by an edge labelled 'loop_body'.`;
      return [{ nodeId: loop, message }];
    }
    if (this.#returnsTo(loop).length > 0) return [];
    const message = `Nothing returns to loop '${loop}': connect the last node of its body to it by an edge labelled 'loop_return'.`;
    return [{ nodeId: loop, message }];
  }

  #edgeFaults(edge: Edge, loopOf: ReadonlyMap<string, string>): readonly LoopFault[] {
    const message = this.#faultOf(edge, loopOf);
    return message === null ? [] : [{ edgeId: edge.id, message }];
  }

  #faultOf({ sourceNodeId, targetNodeId, edgeLabel }: Edge, loopOf: ReadonlyMap<string, string>): string | null {
    const name = `The edge ${sourceNodeId} -> ${targetNodeId}`;
    const [from, to] = [loopOf.get(sourceNodeId), loopOf.get(targetNodeId)];
    if (edgeLabel === 'loop_body') {
      if (!this.#isLoop(sourceNodeId)) return `${name} is labelled 'loop_body', but '${sourceNodeId}' is no loop.`;
      if (to === sourceNodeId) return null;
      return `${name} is labelled 'loop_body', but '${targetNodeId}' is not in that body alone.`;
    }
    if (edgeLabel === 'loop_return') {
      if (!this.#isLoop(targetNodeId)) return `${name} is labelled 'loop_return', but '${targetNodeId}' is no loop.`;
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

  #reach(starts: readonly string[], follows: (edge: Edge) => boolean): Set<string> {
    const reached = new Set(starts);
    for (const nodeId of reached) {
      for (const edge of this.#outgoing.get(nodeId) ?? []) if (follows(edge)) reached.add(edge.targetNodeId);
    }
    return reached;
  }

  #leadingTo(ends: readonly string[]): Set<string> {
    const leading = new Set(ends);
    for (const nodeId of leading) {
      for (const edge of this.#incoming.get(nodeId) ?? []) leading.add(edge.sourceNodeId);
    }
    return leading;
  }
}
