import { describe, expect, it } from 'vitest';
import { graph } from '../../test/graphs.ts';
import type { Edge } from './graph.ts';
import { loopBodies, maxLoopDepth } from './loop-bodies.ts';

const bodies = (text: string, starts = ['start']) =>
  loopBodies({ edges: graph([], text).edges, starts, isLoop: (nodeId) => /^(loop|outer|inner|other)$/.test(nodeId) });
const messages = (text: string) => bodies(text).issues.map(({ message }) => message);

describe('the body of a loop', () => {
  it('begins at loop_body and ends at loop_return', () => {
    const { loopOf, issues } = bodies(
      'start -> loop\nloop -loop_body-> a\na -> b\nb -loop_return-> loop\nloop -> after',
    );
    expect(issues).toEqual([]);
    expect([...loopOf]).toEqual([
      ['a', 'loop'],
      ['b', 'loop'],
    ]);
  });

  it('contains its branches without a continuation, and its error handlers', () => {
    const text =
      'start -> loop\nloop -loop_body-> a\na -> aside\na -error-> h\na -loop_return-> loop\nh -loop_return-> loop';
    const { loopOf, issues } = bodies(text);
    expect(issues).toEqual([]);
    expect([...loopOf.keys()].sort()).toEqual(['a', 'aside', 'h']);
  });

  it('may contain another loop, which has its own body', () => {
    const text =
      'start -> outer\nouter -loop_body-> inner\ninner -loop_body-> a\na -loop_return-> inner\ninner -> b\nb -loop_return-> outer';
    const { loopOf, issues } = bodies(text);
    expect(issues).toEqual([]);
    expect(Object.fromEntries(loopOf)).toEqual({ inner: 'outer', a: 'inner', b: 'outer' });
  });
});

describe('a loop is rejected', () => {
  it.each([
    ['without a body', 'start -> loop', "Loop 'loop' has no body: connect it to the first node"],
    ['to which nothing returns', 'start -> loop\nloop -loop_body-> a', "Nothing returns to loop 'loop'"],
    [
      'whose body has another way out',
      'start -> loop\nloop -loop_body-> a\na -loop_return-> loop\nloop -> after\na -> after',
      "The edge a -> after leaves the body of loop 'loop'.",
    ],
    [
      'whose body has another way in',
      'start -> loop\nloop -loop_body-> a\na -> b\nb -loop_return-> loop\nstart -> b',
      "The edge start -> b enters the body of loop 'loop'.",
    ],
    [
      'whose body returns to a loop around it',
      'start -> outer\nouter -loop_body-> inner\ninner -loop_body-> a\na -loop_return-> inner\na -loop_return-> outer\ninner -loop_return-> outer',
      "The edge a -> outer is labelled 'loop_return', but 'a' is in the body of 'inner', not in that of 'outer'.",
    ],
    [
      'that shares a body with another',
      'start -> loop\nstart -> other\nloop -loop_body-> a\nother -loop_body-> a\na -loop_return-> loop\na -loop_return-> other',
      "Node 'a' is in the bodies of 'other' and 'loop', neither of which contains the other.",
    ],
  ])('%s', (_, text, message) => {
    expect(messages(text)).toContainEqual(expect.stringContaining(message));
  });
});

describe('a loop edge is rejected', () => {
  it.each([
    ['start -loop_body-> a', "The edge start -> a is labelled 'loop_body', but 'start' is not a loop."],
    ['start -> a\na -loop_return-> start', "The edge a -> start is labelled 'loop_return', but 'start' is not a loop."],
    [
      'start -> a\nstart -> loop\nloop -loop_body-> b\nb -loop_return-> loop\na -loop_return-> loop',
      "The edge a -> loop is labelled 'loop_return', but 'a' is in no body, not in that of 'loop'.",
    ],
  ])('%s', (text, message) => {
    expect(messages(text)).toEqual([message]);
  });
});

it('ignores everything that no run reaches', () => {
  expect(bodies('start -> a\nloop -> b')).toEqual({ loopOf: new Map(), issues: [] });
});

const names = (count: number) => Array.from({ length: count }, (_, index) => `l${index}`);

/** Nested loops, the innermost with one node `last`. */
function nested(depth: number): string {
  const loops = names(depth);
  return [
    'start -> l0',
    ...loops.map((loop, index) => `${loop} -loop_body-> ${loops[index + 1] ?? 'last'}`),
    ...loops.map((loop, index) => `${loops[index + 1] ?? 'last'} -loop_return-> ${loop}`),
  ].join('\n');
}

function inARow(count: number): string {
  return names(count)
    .map(
      (loop, index) =>
        `${index === 0 ? 'start' : `l${index - 1}`} -> ${loop}\n${loop} -loop_body-> b${index}\nb${index} -loop_return-> ${loop}`,
    )
    .join('\n');
}

function withOneBody(count: number): string {
  const loops = names(count).map(
    (loop) => `start -> ${loop}\n${loop} -loop_body-> b0\nb${count - 1} -loop_return-> ${loop}`,
  );
  const body = names(count - 1).map((_, index) => `b${index} -> b${index + 1}`);
  return [...loops, ...body].join('\n');
}

/** Each body leads to the next loop, and so does each loop. */
function leaking(count: number): string {
  return `${inARow(count)}\n${names(count - 1)
    .map((_, index) => `b${index} -> l${index + 1}`)
    .join('\n')}`;
}

/** How often the ends of edges are read, per edge of a graph. */
function looksPerEdge(text: string): number {
  let looks = 0;
  const counted = (edge: Edge): Edge => ({
    ...edge,
    get sourceNodeId() {
      looks += 1;
      return edge.sourceNodeId;
    },
    get targetNodeId() {
      looks += 1;
      return edge.targetNodeId;
    },
  });
  const edges = graph([], text).edges.map(counted);
  loopBodies({ edges, starts: ['start'], isLoop: (nodeId) => /^l\d/.test(nodeId) });
  return looks / edges.length;
}

describe('nested loops', () => {
  const found = (text: string) =>
    loopBodies({ edges: graph([], text).edges, starts: ['start'], isLoop: (nodeId) => /^l\d/.test(nodeId) });

  it('may have the maximum depth', () => {
    const { loopOf, issues } = found(nested(maxLoopDepth));
    expect(issues).toEqual([]);
    expect(loopOf.get('last')).toBe(`l${maxLoopDepth - 1}`);
  });

  it('may not be deeper: the issue names the node, and the outer bodies are known', () => {
    const { loopOf, issues } = found(nested(maxLoopDepth + 1));
    const message = `The bodies of more than 20 loops lead to node 'last'. Loops may be nested 20 deep, and only an edge labelled 'loop_return' may leave a body.`;
    expect(issues).toEqual([{ nodeId: 'last', message }]);
    expect(loopOf.get('last')).toBe(`l${maxLoopDepth - 1}`);
  });

  it.each([
    ['in each other', nested],
    ['in a row', inARow],
    ['with one body', withOneBody],
    ['whose bodies lead on', leaking],
  ])('are found in linear time in the number of edges: hundreds %s', (_, shape) => {
    const [few, many] = [looksPerEdge(shape(2 * maxLoopDepth)), looksPerEdge(shape(600))];
    expect(many).toBeLessThanOrEqual(2 * few);
  });
});
