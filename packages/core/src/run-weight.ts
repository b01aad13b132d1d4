import type { Trigger } from './execution.ts';
import type { Plan } from './plan.ts';
import type { RunState } from './run-state.ts';

// Bytes of V8's heap, rounded up.
const objectBytes = 56;
const fieldBytes = 20;
const arrayBytes = 48;
const itemBytes = 8;
/** What a Map or a Set takes when it is empty, which they hold room for more entries in. */
const tableBytes = 220;
const entryBytes = 50;
const textBytes = 24;
const characterBytes = 2;
/** Of a fraction that is not in a list of fractions: it is an object of its own. */
const numberBytes = 16;
/** A node with its compiled config: an http_request with five expressions has 5,400. */
const nodeBytes = 5500;

/** What is the plan's: all runs of it share that. */
const planned: ReadonlySet<string> = new Set(['plan', 'node', 'taken', 'inputEdges', 'returned']);

/**
 * About how many bytes of memory the state of a run and its trigger take, without the plan. Walks through all of it, but no
 * further when it is over the limit.
 */
export function runWeight(state: RunState, trigger: Trigger, limit: number): number {
  /** What has been counted: it may be held in several places. */
  const seen = new Set<object>();
  return weigh([state, trigger]);

  function weigh(value: unknown): number {
    if (typeof value === 'string') return textBytes + value.length * characterBytes;
    if (typeof value === 'number') return Number.isInteger(value) ? 0 : numberBytes;
    if (typeof value !== 'object' || value === null || seen.has(value)) return 0;
    seen.add(value);
    if (Array.isArray(value)) return sum(value, arrayBytes, (item) => itemBytes + weigh(item));
    if (value instanceof Set) return sum(value, tableBytes, (item) => entryBytes + weigh(item));
    if (value instanceof Map) return sum(value, tableBytes, ([key, item]) => entryBytes + weigh(key) + weigh(item));
    return sum(Object.entries(value), objectBytes, ([key, field]) => {
      return fieldBytes + (planned.has(key) ? arrayBytes : weigh(field));
    });
  }

  function sum<Part>(parts: Iterable<Part>, first: number, weightOf: (part: Part) => number): number {
    let bytes = first;
    for (const part of parts) {
      bytes += weightOf(part);
      if (bytes > limit) break;
    }
    return bytes;
  }
}

/** About how many bytes of memory a plan takes. */
export function planWeight({ nodes }: Plan): number {
  return nodes.size * nodeBytes;
}
