import { suggestion } from '../base/nearest.ts';
import type { Component } from '../component/component.ts';
import { isPolicy } from '../component/policies.ts';
import { switchType } from '../graph/edge-rules.ts';
import type { Edge, Node } from '../graph/graph.ts';
import { isArray, isObject, type Json, type JsonObject } from '../json.ts';
import type { GraphIssue } from './graph-issue.ts';

/** Reports a contradiction between a node's error handling and its error edges. */
export function checkErrorEdges(
  { nodeId, config }: Node,
  component: Component<never>,
  outgoing: readonly Edge[],
): readonly GraphIssue[] {
  if (!isPolicy('on_error', component)) return [];
  const policy = extraConfig(config).on_error;
  const edge = outgoing.find(({ edgeLabel }) => edgeLabel === 'error');
  if (policy === 'route' && edge === undefined) {
    const message = `Node '${nodeId}' has on_error 'route', but no edge labelled 'error' leaves it.`;
    return [{ code: 'missing_error_edge', severity: 'error', nodeId, ...at('extra_config', 'on_error'), message }];
  }
  if ((policy === 'stop' || policy === 'continue') && edge !== undefined) {
    const message = `The error edge of node '${nodeId}' is never taken, because the node has on_error '${policy}'.`;
    return [{ code: 'unused_error_edge', severity: 'warning', nodeId, edgeId: edge.id, message }];
  }
  return [];
}

/** Checks that each conditional edge of a switch has a route that the switch can take, and each route an edge. */
export function checkRoutes({ nodeId, componentType, config }: Node, outgoing: readonly Edge[]): readonly GraphIssue[] {
  const routes = componentType === switchType ? routesOf(extraConfig(config)) : null;
  if (routes === null) return [];
  return [
    ...noRoute(nodeId, routes),
    ...unusedEdges(nodeId, routes, outgoing),
    ...unusedRules(nodeId, routes, outgoing),
  ];
}

function noRoute(nodeId: string, routes: ReadonlySet<string>): readonly GraphIssue[] {
  if ([...routes].some((route) => route !== fallbackRoute)) return [];
  const message = `Switch '${nodeId}' has no rules and no expression: set one of them`;
  return [{ code: 'missing_setting', severity: 'warning', nodeId, message }];
}

function unusedEdges(nodeId: string, routes: ReadonlySet<string>, outgoing: readonly Edge[]): readonly GraphIssue[] {
  return outgoing.flatMap(({ id: edgeId, edgeType, conditionValue, targetNodeId }) => {
    if (edgeType !== 'conditional' || routes.has(conditionValue)) return [];
    const why = conditionValue === fallbackRoute ? ' Turn on enable_fallback.' : suggestion(conditionValue, routes);
    const message = `The edge to '${targetNodeId}' has the route '${conditionValue}', which switch '${nodeId}' never takes.${why}`;
    return [{ code: 'unused_route', severity: 'warning', nodeId, edgeId, message }];
  });
}

/**
 * A route without an edge takes the fallback edge if there is one; otherwise the nodes after the switch are skipped.
 */
function unusedRules(nodeId: string, routes: ReadonlySet<string>, outgoing: readonly Edge[]): readonly GraphIssue[] {
  const taken = new Set(
    outgoing.flatMap(({ conditionValue, conditionMapping }) => [
      conditionValue,
      ...Object.keys(conditionMapping ?? {}),
    ]),
  );
  if (routes.has(fallbackRoute) && taken.has(fallbackRoute)) return [];
  return [...routes]
    .filter((route) => !taken.has(route))
    .map((route) => {
      const message = `Switch '${nodeId}' may take route '${route}', but no edge has this route.`;
      return { code: 'unused_rule', severity: 'warning', nodeId, message };
    });
}

/** The fallback route, if the switch has one. */
const fallbackRoute = '__other__';

/** The routes that a switch can take; null if only a run can determine them. */
function routesOf(config: JsonObject): ReadonlySet<string> | null {
  if (config.expression !== undefined) return null;
  const rules: readonly Json[] = isArray(config.rules) ? config.rules : [];
  const routes = rules.map((rule) => (isObject(rule) && typeof rule.id === 'string' ? rule.id : ''));
  if (routes.some((route) => route.includes('{{'))) return null;
  return new Set(config.enable_fallback === true ? [...routes, fallbackRoute] : routes);
}

function at(...path: readonly string[]) {
  return { field: path.join('.'), path };
}

function extraConfig(config: JsonObject): JsonObject {
  return isObject(config.extra_config) ? config.extra_config : {};
}
