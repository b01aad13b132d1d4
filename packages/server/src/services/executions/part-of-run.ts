import { type Catalogue, type Graph, Problem, runPart } from '@millrace/core';

interface Start {
  readonly graph: Graph;
  readonly catalogue: Catalogue;
  readonly triggerNodeId: string;
}

/** The nodes of a run from a trigger up to a node. @throws Problem `invalid` if the trigger does not lead to the node */
export function partUpTo(toNodeId: string, { graph, catalogue, triggerNodeId }: Start): ReadonlySet<string> {
  const part = runPart({ graph, catalogue, triggerNodeId, toNodeId });
  if (part !== null) return part;
  const isThere = graph.nodes.some(({ nodeId }) => nodeId === toNodeId);
  const msg = isThere
    ? `No edges lead from '${triggerNodeId}' to node '${toNodeId}'.`
    : `The workflow has no node '${toNodeId}'.`;
  throw new Problem('invalid', [{ type: 'value_error', loc: ['body', 'to_node'], msg }]);
}
