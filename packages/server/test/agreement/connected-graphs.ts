import { catalogue } from '@millrace/components';
import { type EdgeLabel, isTrigger, type Node } from '@millrace/core';
import fc from 'fast-check';
import type { EdgeFields } from '../../src/store/graphs.ts';
import { blankEdge, blankNode } from '../support/blank-graph.ts';
import { type DrawnEdge, type DrawnGraph, drawnEdge, edgeOf, maxNodes, nodeAt, numbered } from './drawn-graphs.ts';
import { expectedFor } from './edge-model.ts';

/**
 * Graphs in which the first node, a trigger, leads to all others, and most inputs fit: nearly all of them can run. A
 * spoiled one also has edges that nobody checked.
 */
export const connectedGraphs = (isSpoiled: boolean): fc.Arbitrary<DrawnGraph> =>
  fc
    .integer({ min: 3, max: maxNodes })
    .chain((count) =>
      fc.record({
        nodes: fc.tuple(...Array.from({ length: count }, (_none, index) => nodeAt(index, false))),
        sources: fc.array(fc.nat({ max: 97 }), { minLength: count, maxLength: count }),
        more: fc.array(drawnEdge, { maxLength: 5 }),
      }),
    )
    .map(({ nodes, sources, more }) => connected(nodes, { sources, more, isSpoiled }));

interface Drawing {
  readonly sources: readonly number[];
  readonly more: readonly DrawnEdge[];
  readonly isSpoiled: boolean;
}

/** Models that agents need, beside the drawn nodes. */
const model: Node = { ...blankNode('model', 'ai_model'), id: maxNodes + 1, updatedAt: 0 };

function connected(drawn: readonly Node[], { sources, more, isSpoiled }: Drawing): DrawnGraph {
  const nodes: Node[] = [];
  const edges: EdgeFields[] = [];
  let body: string | null = null;
  for (const [index, node] of drawn.entries()) {
    const component = catalogue.get(node.componentType);
    const isStep = component?.run !== undefined && !isTrigger(component);
    const isIn: boolean = body !== null && isStep && node.componentType !== 'loop';
    const into: readonly EdgeFields[] | null =
      index === 0 || !isStep
        ? []
        : isIn
          ? loopEdges(body ?? '', node.nodeId)
          : firstFitting(nodes.slice(), node, { start: sources[index] ?? 0, edges });
    if (into === null) continue;
    nodes.push(node);
    edges.push(...into);
    if (node.componentType === 'agent') edges.push(blankEdge('model', node.nodeId, 'llm'));
    if (isIn) body = null;
    if (node.componentType === 'loop') body = node.nodeId;
  }
  const extra = more.map((edge) => edgeOf(nodes, isSpoiled ? edge : { ...edge, isWild: false }));
  const all = [...nodes, model];
  const fitting = extra.filter((edge) => edge !== null && (isSpoiled || fits(edge, all, edges)));
  return { nodes: all, edges: numbered([...edges, ...fitting.filter((edge) => edge !== null)]) };
}

function loopEdges(loop: string, step: string): readonly EdgeFields[] {
  return (['loop_body', 'loop_return'] satisfies EdgeLabel[]).map((label) =>
    label === 'loop_body' ? blankEdge(loop, step, label) : blankEdge(step, loop, label),
  );
}

function fits(edge: EdgeFields, nodes: readonly Node[], edges: readonly EdgeFields[]): boolean {
  const graph = { nodes, edges: numbered([...edges, edge]) };
  return expectedFor({ ...edge, id: 0 }, graph, catalogue) === 'allowed';
}

/** An edge from the first of the nodes, counted from `start`, that may lead to this one; null if none may. */
function firstFitting(
  nodes: readonly Node[],
  node: Node,
  { start, edges }: { readonly start: number; readonly edges: readonly EdgeFields[] },
): readonly EdgeFields[] | null {
  const inBodies = new Set(edges.flatMap((edge) => (edge.edgeLabel === 'loop_return' ? [edge.sourceNodeId] : [])));
  const steps = nodes.filter(({ nodeId, componentType }) => {
    return catalogue.get(componentType)?.run !== undefined && !inBodies.has(nodeId);
  });
  for (const at of steps.keys()) {
    const source = steps[(start + at) % steps.length];
    if (source === undefined) continue;
    const edge = blankEdge(source.nodeId, node.nodeId);
    if (fits(edge, [...nodes, node], edges)) return [edge];
  }
  return null;
}
