import type { JsonObject } from '@millrace/core';
import { type Block, type BlockNode, fateOf, graph, node, type RandomWorld } from '@millrace/core/testkit';

/** A graph as a test writes it: what lies between the trigger and the end, in the run itself or in a body. */
export interface Sketch {
  /** Node ids with their types and their own config, in an order in which all edges lead forwards. */
  readonly nodes: Readonly<Record<string, readonly [kind: BlockNode['kind'], extra?: JsonObject]>>;
  /** Lines of `a -> b`, `a -[x]-> b` or `a -error-> b`. Those that nothing leads to come first. */
  readonly edges: string;
  /** How many attempts of a node fail. */
  readonly failures?: Readonly<Record<string, 0 | 1 | 9>>;
  /** The route that each switch takes. */
  readonly route?: 'x' | 'y' | 'z';
}

/** Where a sketch runs, and the frames in which it does. */
export const places = {
  'in the run itself': { loop: null, frames: [''] },
  'in a loop': { loop: { items: [1, 2], concurrency: 2 }, frames: ['each[0]', 'each[1]'] },
  'in a loop that goes on after an item that fails': {
    loop: { items: [1, 2], concurrency: 1, on_error: 'continue' },
    frames: ['each[0]', 'each[1]'],
  },
} as const satisfies Record<string, { loop: JsonObject | null; frames: readonly string[] }>;
export type Place = keyof typeof places;

/** The world of a sketch in a place. What steps do depends on chance alone, so the salt is sought that does it. */
export function sketchedWorld(sketch: Sketch, place: Place): RandomWorld {
  const { loop, frames } = places[place];
  const inner: Block = Object.entries(sketch.nodes).map(([nodeId, [kind]]) => {
    return { nodeId, kind, body: null, isFlaky: Object.hasOwn(sketch.failures ?? {}, nodeId) };
  });
  const targets = new Set([...sketch.edges.matchAll(/> (\w+)/g)].map(([, target]) => target));
  const sources = new Set([...sketch.edges.matchAll(/^(\w+) /gm)].map(([, source]) => source));
  const first = inner.filter(({ nodeId }) => !targets.has(nodeId)).map(({ nodeId }) => nodeId);
  const last = inner.filter(({ nodeId }) => !sources.has(nodeId)).map(({ nodeId }) => nodeId);
  const around =
    loop === null
      ? first.map((target) => `n0 -> ${target}`)
      : [
          'n0 -> each',
          ...first.map((target) => `each -loop_body-> ${target}`),
          ...last.map((source) => `${source} -loop_return-> each`),
        ];
  const nodes = Object.entries(sketch.nodes).map(([nodeId, [kind, extra = {}]]) => node(nodeId, kind, extra));
  const loopNode = loop === null ? [] : [node('each', 'loop', loop)];
  const start: BlockNode = { nodeId: 'n0', kind: 'start', body: null, isFlaky: false };
  return {
    graph: graph([node('n0', 'start'), ...loopNode, ...nodes], [...around, sketch.edges].join('\n')),
    root: [
      start,
      ...(loop === null ? inner : [{ nodeId: 'each', kind: 'loop', body: inner, isFlaky: false } as const]),
    ],
    salt: saltFor(sketch, inner, frames),
    child: null,
  };
}

function saltFor({ failures = {}, route = 'x' }: Sketch, nodes: Block, frames: readonly string[]): number {
  const isRight = (salt: number) =>
    nodes.every((each) =>
      frames.every((frame) => {
        const fate = fateOf({ salt }, each, frame);
        return fate.failures === (failures[each.nodeId] ?? 0) && (each.kind !== 'switch' || fate.route === route);
      }),
    );
  for (let salt = 0; salt < 1_000_000; salt += 1) if (isRight(salt)) return salt;
  throw new Error('no salt does what the sketch wants');
}
