import { type Catalogue, isTrigger } from '../component/component.ts';
import type { Graph } from '../graph/graph.ts';
import { isFlow } from './run-part.ts';

/** Whether one node has run before another runs: always, in some runs, or never. */
export type Order = 'before' | 'maybe' | 'never';

/** A set of nodes as bits: the four million pairs of two thousand nodes take half a megabyte. */
type Bits = Uint32Array;

/** The nodes that can have run before another node runs: those from which edges lead to it. */
export class RunOrder {
  readonly #numbers: ReadonlyMap<string, number>;
  /** For each node the nodes that lead to it, including itself. */
  readonly #before: readonly Bits[];
  readonly #triggers: Bits;
  readonly #steps: Bits;
  readonly #parents: ReadonlyMap<number, readonly number[]>;
  readonly #isKnown: boolean;

  constructor(graph: Graph, catalogue: Catalogue) {
    this.#numbers = new Map(graph.nodes.map(({ nodeId }, index) => [nodeId, index]));
    const words = Math.ceil(graph.nodes.length / 32);
    this.#triggers = new Uint32Array(words);
    this.#steps = new Uint32Array(words);
    for (const [index, { componentType }] of graph.nodes.entries()) {
      const component = catalogue.get(componentType);
      if (component !== undefined && isTrigger(component)) set(this.#triggers, index);
      if (component?.run !== undefined) set(this.#steps, index);
    }
    this.#before = graph.nodes.map((_node, index) => set(new Uint32Array(words), index));
    this.#parents = this.#parentsIn(graph);
    this.#isKnown = this.#fill(graph);
  }

  /**
   * Whether the first node has run before the second one. For nodes that no trigger reaches the result is `before`, so
   * that nothing is reported about them.
   */
  between(first: string, second: string): Order {
    const [a, b] = [this.#numbers.get(first), this.#numbers.get(second)];
    if (a === undefined || b === undefined || !this.#isKnown) return 'before';
    const orders = new Set(this.#placesOf(b).map((place) => this.#order(a, place)));
    const [only = 'before', another] = orders;
    return another === undefined ? only : 'maybe';
  }

  #order(a: number, b: number): Order {
    const [beforeA, beforeB] = [this.#before[a], this.#before[b]];
    if (beforeA === undefined || beforeB === undefined || !meet(beforeB, this.#triggers)) return 'before';
    if (a === b || !has(this.#steps, a)) return 'never';
    if (has(beforeB, a)) return 'before';
    return has(beforeA, b) || !meet(beforeA, beforeB, this.#triggers) ? 'never' : 'maybe';
  }

  /** The nodes with which a node runs: itself, or the nodes to which it is connected as a sub-component. */
  #placesOf(node: number): readonly number[] {
    const all = new Set([node]);
    for (const place of all) for (const parent of this.#parents.get(place) ?? []) all.add(parent);
    const places = [...all].filter(
      (place) => has(this.#steps, place) && meet(this.#before[place] ?? new Uint32Array(), this.#triggers),
    );
    return places.length > 0 ? places : [node];
  }

  #parentsIn({ edges }: Graph): ReadonlyMap<number, readonly number[]> {
    const pairs = edges.flatMap((edge) => {
      const [source, target] = [this.#numbers.get(edge.sourceNodeId), this.#numbers.get(edge.targetNodeId)];
      return isFlow(edge) || source === undefined || target === undefined ? [] : [{ source, target }];
    });
    const bySource = Map.groupBy(pairs, ({ source }) => source);
    return new Map([...bySource].map(([source, all]) => [source, all.map(({ target }) => target)]));
  }

  /** Visits the nodes in the order of the edges; returns false if there is a cycle and thus no order. */
  #fill({ edges }: Graph): boolean {
    // A loop begins before its body, despite its return edges.
    const pairs = edges
      .filter((edge) => isFlow(edge) && edge.edgeLabel !== 'loop_return')
      .map((edge) => [this.#numbers.get(edge.sourceNodeId), this.#numbers.get(edge.targetNodeId)] as const);
    const following = Map.groupBy(pairs, ([source]) => source);
    const waiting = this.#before.map(() => 0);
    for (const [source, target] of pairs)
      if (source !== undefined && target !== undefined) waiting[target] = (waiting[target] ?? 0) + 1;
    const ready = [...waiting.keys()].filter((index) => waiting[index] === 0);
    for (const source of ready) {
      for (const [, target] of following.get(source) ?? []) {
        if (target === undefined) continue;
        add(this.#before[target], this.#before[source]);
        waiting[target] = (waiting[target] ?? 0) - 1;
        if (waiting[target] === 0) ready.push(target);
      }
    }
    return ready.length === this.#before.length;
  }
}

function set(bits: Bits, index: number): Bits {
  bits[index >>> 5] = (bits[index >>> 5] ?? 0) | (1 << (index & 31));
  return bits;
}

function has(bits: Bits, index: number): boolean {
  return ((bits[index >>> 5] ?? 0) & (1 << (index & 31))) !== 0;
}

function add(to: Bits | undefined, from: Bits | undefined): void {
  if (to === undefined || from === undefined) return;
  for (let word = 0; word < to.length; word += 1) to[word] = (to[word] ?? 0) | (from[word] ?? 0);
}

/** Whether all these sets have a node in common. */
function meet(first: Bits, ...others: readonly Bits[]): boolean {
  return first.some((bits, word) => others.reduce((common, other) => common & (other[word] ?? 0), bits) !== 0);
}
