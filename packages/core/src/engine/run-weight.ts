import type { Plan } from './plan.ts';
import type { RunState } from './run-state.ts';

// Bytes of V8's heap, rounded up.
const objectBytes = 56;
const fieldBytes = 20;
const arrayBytes = 48;
const itemBytes = 8;
/** The size of an empty Map or Set, which has room for several entries. */
const tableBytes = 220;
const entryBytes = 50;
const textBytes = 24;
const characterBytes = 2;
/**
 * The size of a number that is not a small integer, such as a fraction or a time: outside a list of such numbers it is
 * an object.
 */
const numberBytes = 16;
/** A node with its compiled config: an http_request with five expressions has 5,400. */
const nodeBytes = 5500;
/** A node without its config. */
const bareNodeBytes = 2500;

/**
 * The approximate bytes of memory for the state of a run and the values that it holds beside its state, without the
 * plan. Walks the whole state, but stops above the limit.
 */
export function runWeight(state: RunState, values: readonly unknown[], limit: number): number {
  /** Objects already counted, as they may be referenced several times, and those of the plan, which all runs share. */
  const seen = new Set<object>([state.plan]);
  for (const node of state.plan.nodes.values())
    for (const part of [node, ...node.incoming, ...node.outgoing, ...node.callees.values()]) seen.add(part);
  return weightOf([state, ...values], seen, limit);
}

/** The approximate bytes of a value without the objects already seen. Counting stops above the limit. */
function weightOf(root: unknown, seen: Set<object>, limit: number): number {
  return weigh(root);

  function weigh(value: unknown): number {
    if (typeof value === 'string') return textBytes + value.length * characterBytes;
    if (typeof value === 'number') return Object.is(value | 0, value) ? 0 : numberBytes;
    if (typeof value !== 'object' || value === null || seen.has(value)) return 0;
    seen.add(value);
    if (Array.isArray(value)) return sum(value, arrayBytes, (item) => itemBytes + weigh(item));
    if (value instanceof Set) return sum(value, tableBytes, (item) => entryBytes + weigh(item));
    if (value instanceof Map) return sum(value, tableBytes, ([key, item]) => entryBytes + weigh(key) + weigh(item));
    return sum(Object.values(value), objectBytes, (field) => fieldBytes + weigh(field));
  }

  function sum<Part>(parts: Iterable<Part>, first: number, weightOfPart: (part: Part) => number): number {
    let bytes = first;
    for (const part of parts) {
      bytes += weightOfPart(part);
      if (bytes > limit) break;
    }
    return bytes;
  }
}

// Weak: a plan never changes, and is measured once for all its runs.
const planWeights = new WeakMap<Plan, number>();

/** The approximate bytes of memory for a plan. Configs may have megabytes. */
export function planWeight(plan: Plan): number {
  const known = planWeights.get(plan);
  if (known !== undefined) return known;
  const seen = new Set<object>();
  let bytes = 0;
  const nodes = [...plan.nodes.values()];
  for (const { config, prompt } of [...nodes, ...nodes.flatMap(({ callees }) => [...callees.values()])]) {
    const configs = weightOf([config, prompt], seen, Number.POSITIVE_INFINITY);
    bytes += Math.max(nodeBytes, bareNodeBytes + configs);
  }
  planWeights.set(plan, bytes);
  return bytes;
}
