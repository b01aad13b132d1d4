import { switchType } from './edge-rules.ts';
import type { Edge, Node } from './graph.ts';
import type { GraphIssue } from './graph-issue.ts';
import { isArray, isObject, type Json, type JsonObject } from './json.ts';
import { suggestion } from './nearest.ts';

/** Whether a node's way of handling errors and its error edges agree. */
export function checkErrorEdges({ nodeId, config }: Node, outgoing: readonly Edge[]): readonly GraphIssue[] {
  const policy = extraConfig(config).on_error;
  const edge = outgoing.find(({ edgeLabel }) => edgeLabel === 'error');
  if (policy === 'route' && edge === undefined) {
    const message = `Node '${nodeId}' has on_error 'route', but no edge labelled 'error' leaves it.`;
    return [{ code: 'missing_error_edge', severity: 'error', nodeId, field: 'extra_config.on_error', message }];
  }
  if ((policy === 'stop' || policy === 'continue') && edge !== undefined) {
    const message = `The error edge of node '${nodeId}' is never taken, because the node has on_error '${policy}'.`;
    return [{ code: 'unused_error_edge', severity: 'warning', nodeId, edgeId: edge.id, message }];
  }
  return [];
}

/** Whether each conditional edge of a switch waits for a route that the switch can take. */
export function checkRoutes({ nodeId, componentType, config }: Node, outgoing: readonly Edge[]): readonly GraphIssue[] {
  const routes = componentType === switchType ? routesOf(extraConfig(config)) : null;
  if (routes === null) return [];
  return outgoing.flatMap(({ id: edgeId, edgeType, conditionValue }) => {
    if (edgeType !== 'conditional' || routes.has(conditionValue)) return [];
    const why = conditionValue === fallbackRoute ? ' Turn on enable_fallback.' : suggestion(conditionValue, routes);
    const message = `Edge ${edgeId} waits for route '${conditionValue}', which switch '${nodeId}' never takes.${why}`;
    return [{ code: 'unused_route', severity: 'warning', nodeId, edgeId, message }];
  });
}

/** The route that is taken when no other is, where the switch allows it. */
const fallbackRoute = '__other__';

/** The routes that a switch can take; null when only a run can tell. */
function routesOf(config: JsonObject): ReadonlySet<string> | null {
  if (config.expression !== undefined) return null;
  const rules: readonly Json[] = isArray(config.rules) ? config.rules : [];
  const routes = rules.map((rule) => (isObject(rule) && typeof rule.id === 'string' ? rule.id : ''));
  if (routes.some((route) => route.includes('{{'))) return null;
  return new Set(config.enable_fallback === true ? [...routes, fallbackRoute] : routes);
}

function extraConfig(config: JsonObject): JsonObject {
  return isObject(config.extra_config) ? config.extra_config : {};
}
