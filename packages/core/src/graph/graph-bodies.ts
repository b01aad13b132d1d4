import { type Catalogue, isTrigger } from '../component/component.ts';
import type { Edge, Graph } from './graph.ts';
import { type LoopBodies, loopBodies, loopType } from './loop-bodies.ts';

/**
 * The bodies of the loops that the triggers of a graph reach; in a graph without a trigger, all bodies. They are the
 * same whichever trigger starts a run.
 * @param flow the edges of the graph that runs follow
 */
export function bodiesOf({ nodes }: Pick<Graph, 'nodes'>, flow: readonly Edge[], catalogue: Catalogue): LoopBodies {
  const types = new Map(nodes.map(({ nodeId, componentType }) => [nodeId, componentType]));
  const ids = [...types.keys()];
  const triggers = ids.filter((nodeId) => {
    const component = catalogue.get(types.get(nodeId) ?? '');
    return component !== undefined && isTrigger(component);
  });
  const edges = flow.filter((edge) => types.has(edge.sourceNodeId) && types.has(edge.targetNodeId));
  // Edges that return to a loop do not precede it.
  const onwards = edges.filter(({ edgeLabel }) => edgeLabel !== 'loop_return');
  const targets = new Set(onwards.map(({ targetNodeId }) => targetNodeId));
  const starts = triggers.length > 0 ? triggers : ids.filter((nodeId) => !targets.has(nodeId));
  return loopBodies({ edges, starts, isLoop: (nodeId) => types.get(nodeId) === loopType });
}
