import type { JsonObject } from '@millrace/core';
import { type Block, type BlockNode, graph, node, plannedOutcomeOf, type RandomWorld } from '@millrace/core/testkit';

/** A graph in short form: the nodes between the trigger and the end, in the run itself or in a loop body. */
export interface Sketch {
  /** Node ids with their types and their config, ordered so that all edges lead forwards. */
  readonly nodes: Readonly<Record<string, readonly [kind: BlockNode['kind'], extra?: JsonObject]>>;
  /** Lines of `a -> b`, `a -[x]-> b` or `a -error-> b`. Nodes without predecessors come first. */
  readonly edges: string;
  /** The number of failing attempts of a node. */
  readonly failures?: Readonly<Record<string, 0 | 1 | 9>>;
  /** The route that each switch takes. */
  readonly route?: 'x' | 'y' | 'z';
}

interface PlaceOfSketch {
  readonly loop: JsonObject | null;
  readonly frames: readonly string[];
  /** Whether another workflow runs its workflow, as a step. */
  readonly isChild: boolean;
}

/** The places of a sketch, with the frames in which it runs. */
export const places = {
  'in the run itself': { loop: null, frames: [''], isChild: false },
  'in a loop': { loop: { items: [1, 2], concurrency: 2 }, frames: ['each[0]', 'each[1]'], isChild: false },
  'in a loop that continues after a failed item': {
    loop: { items: [1, 2], concurrency: 1, on_error: 'continue' },
    frames: ['each[0]', 'each[1]'],
    isChild: false,
  },
  'in a sub-workflow': { loop: null, frames: [''], isChild: true },
  'in a loop of a sub-workflow': {
    loop: { items: [1, 2], concurrency: 2 },
    frames: ['each[0]', 'each[1]'],
    isChild: true,
  },
} as const satisfies Record<string, PlaceOfSketch>;
export type Place = keyof typeof places;

/** Builds the world of a sketch in one of the places. */
export function sketchedWorld(sketch: Sketch, place: Place): RandomWorld {
  if (!places[place].isChild) return worldFrom('n0', sketch, place);
  const child = worldFrom('c0', sketch, place);
  return {
    graph: graph([node('n0', 'start'), node('call', 'workflow', { workflow: 'child' })], 'n0 -> call'),
    root: [
      { nodeId: 'n0', kind: 'start', body: null, tools: [], isFlaky: false },
      { nodeId: 'call', kind: 'workflow', body: null, tools: [], isFlaky: false },
    ],
    salt: child.salt,
    child,
  };
}

/**
 * A world that starts at a trigger. The behaviour of steps depends only on randomness, so this searches for the salt
 * that produces it.
 */
function worldFrom(trigger: string, sketch: Sketch, place: Place): RandomWorld {
  const { loop, frames } = places[place];
  const inner: Block = Object.entries(sketch.nodes).map(([nodeId, [kind]]) => {
    return { nodeId, kind, body: null, tools: [], isFlaky: Object.hasOwn(sketch.failures ?? {}, nodeId) };
  });
  const targets = new Set([...sketch.edges.matchAll(/> (\w+)/g)].map(([, target]) => target));
  const sources = new Set([...sketch.edges.matchAll(/^(\w+) /gm)].map(([, source]) => source));
  const first = inner.filter(({ nodeId }) => !targets.has(nodeId)).map(({ nodeId }) => nodeId);
  const last = inner.filter(({ nodeId }) => !sources.has(nodeId)).map(({ nodeId }) => nodeId);
  const around =
    loop === null
      ? first.map((target) => `${trigger} -> ${target}`)
      : [
          `${trigger} -> each`,
          ...first.map((target) => `each -loop_body-> ${target}`),
          ...last.map((source) => `${source} -loop_return-> each`),
        ];
  const nodes = Object.entries(sketch.nodes).map(([nodeId, [kind, extra = {}]]) => node(nodeId, kind, extra));
  const loopNode = loop === null ? [] : [node('each', 'loop', loop)];
  const start: BlockNode = { nodeId: trigger, kind: 'start', body: null, tools: [], isFlaky: false };
  return {
    graph: graph([node(trigger, 'start'), ...loopNode, ...nodes], [...around, sketch.edges].join('\n')),
    root: [
      start,
      ...(loop === null ? inner : [{ nodeId: 'each', kind: 'loop', body: inner, tools: [], isFlaky: false } as const]),
    ],
    salt: saltFor(sketch, inner, frames),
    child: null,
  };
}

function saltFor({ failures = {}, route = 'x' }: Sketch, nodes: Block, frames: readonly string[]): number {
  const isRight = (salt: number) =>
    nodes.every((each) =>
      frames.every((frame) => {
        const planned = plannedOutcomeOf({ salt }, each, frame);
        return planned.failures === (failures[each.nodeId] ?? 0) && (each.kind !== 'switch' || planned.route === route);
      }),
    );
  for (let salt = 0; salt < 1_000_000; salt += 1) if (isRight(salt)) return salt;
  throw new Error('no salt does what the sketch wants');
}
