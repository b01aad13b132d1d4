import { type Component, isTrigger } from '../component/component.ts';
import { isPolicy } from '../component/policies.ts';
import { isFlow } from '../engine/run-part.ts';
import type { Edge, Node } from '../graph/graph.ts';
import { isObject } from '../json.ts';
import type { GraphIssue } from './graph-issue.ts';

/** Reports a join that waits for more edges than can be taken. A trigger waits for none. */
export function checkJoin(
  { nodeId, config }: Node,
  component: Component<never>,
  incoming: readonly Edge[],
): readonly GraphIssue[] {
  if (isTrigger(component) || !isPolicy('join', component)) return [];
  const join = isObject(config.extra_config) ? config.extra_config.join : undefined;
  const count = isObject(join) ? join.count : undefined;
  if (typeof count !== 'number') return [];
  const bySource = Map.groupBy(
    incoming.filter((edge) => isFlow(edge) && edge.edgeLabel !== 'loop_return'),
    ({ sourceNodeId }) => sourceNodeId,
  );
  const most = [...bySource.values()].reduce((sum, edges) => sum + mostTaken(edges), 0);
  if (count <= most) return [];
  const message = `Node '${nodeId}' waits for ${count} edges, but at most ${most} that lead to it can be taken in one run.`;
  const path = ['extra_config', 'join'];
  return [{ code: 'join_unmet', severity: 'error', nodeId, field: path.join('.'), path, message }];
}

/**
 * The maximum number of edges from one node that can be taken: the node either fails or succeeds, and takes one route.
 */
function mostTaken(edges: readonly Edge[]): number {
  const errors = edges.filter(({ edgeLabel }) => edgeLabel === 'error').length;
  const direct = edges.filter(({ edgeLabel, edgeType }) => edgeLabel !== 'error' && edgeType === 'direct').length;
  const conditional = edges.filter(({ edgeType }) => edgeType === 'conditional');
  const routes = Map.groupBy(conditional, ({ conditionValue }) => conditionValue);
  return Math.max(errors, direct + Math.max(0, ...[...routes.values()].map((same) => same.length)));
}
