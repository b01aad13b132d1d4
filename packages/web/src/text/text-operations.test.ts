import type { Graph, Node, VersionedGraph } from '@millrace/core/editing';
import { expect, test } from 'vitest';
import { rules } from '../state/draft/model-service.testkit.ts';
import { RandomEdits } from '../state/draft/random-edits.testkit.ts';
import { type View, viewAfter, viewOf } from '../state/draft/view.ts';
import { textOperations } from './text-operations.ts';

const empty: VersionedGraph = { version: 1, nodes: [], edges: [] };

/** What a text contains of a graph: names instead of ids, and no links, which follow from edges. */
function content({ nodes, edges }: Graph) {
  return {
    nodes: nodes
      .map(({ id: _id, updatedAt: _at, config: { llm_model_config_id: _link, ...config }, ...node }) => ({
        ...node,
        config,
      }))
      .toSorted((a, b) => (a.nodeId < b.nodeId ? -1 : 1)),
    edges: edges.map(({ id: _id, ...edge }) => JSON.stringify(edge)).toSorted(),
  };
}

/** The graph as a text describes it: its ids count from 1. */
function inText({ nodes, edges }: Graph): Graph {
  return {
    nodes: nodes.map(
      (node, index): Node => ({ ...node, id: index + 1, config: { ...node.config, llm_model_config_id: null } }),
    ),
    edges: edges.map((edge, index) => ({ ...edge, id: index + 1 })),
  };
}

function apply(view: View, operations: ReturnType<typeof textOperations>): View {
  return operations.reduce((current, operation) => viewAfter(rules, current, operation), view);
}

function drawn(edits: RandomEdits, from: View, count: number): View {
  let view = from;
  for (let index = 0; index < count; index += 1) {
    const operations = edits.draw(view);
    try {
      view = operations.reduce((current, operation) => viewAfter(rules, current, operation), view);
    } catch {
      // An edit that violates a rule changes nothing.
    }
  }
  return view;
}

test.each(
  Array.from({ length: 200 }, (_, seed) => seed),
)('an edited text turns the draft into the graph of the text (seed %i)', (seed) => {
  const edits = new RandomEdits(seed, 'A');
  const start = drawn(edits, viewOf(empty, new Map()), 12);
  const end = drawn(edits, start, 6);
  let keys = 0;
  const newKey = () => `key ${++keys}`;
  const after = { graph: inText(end.graph), placed: new Set(end.graph.nodes.map(({ nodeId }) => nodeId)) };
  const operations = textOperations(inText(start.graph), after, { view: start, newKey });
  expect(content(apply(start, operations).graph)).toEqual(content(end.graph));
  // The text is now the draft, so reading it again changes nothing.
  expect(textOperations(after.graph, after, { view: start, newKey })).toEqual([]);
});
