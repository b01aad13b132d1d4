import { runThrough, type SlicedWork } from '../base/meter.ts';
import { suggestions } from '../base/nearest.ts';
import { type Catalogue, type Component, isTrigger } from '../component/component.ts';
import { checkConfig } from '../component/config-check.ts';
import { findCycle } from '../engine/plan.ts';
import { RunOrder } from '../engine/run-order.ts';
import { isFlow } from '../engine/run-part.ts';
import type { Edge, Graph, Node } from '../graph/graph.ts';
import { bodiesOf } from '../graph/graph-bodies.ts';
import type { LoopBodies } from '../graph/loop-bodies.ts';
import { typeSuggestion } from '../graph/step-types.ts';
import { checkInjection } from './agents/validate-injection.ts';
import { checkMemories } from './agents/validate-memories.ts';
import { type GraphIssue, isRejection, maxIssues } from './graph-issue.ts';
import { type GraphWorld, noWorld } from './graph-world.ts';
import { withHints } from './issue-hints.ts';
import { checkCall } from './validate-calls.ts';
import { checkCode } from './validate-code.ts';
import { checkConnections, checkModelSettings } from './validate-connections.ts';
import { checkEdgeIn } from './validate-edges.ts';
import { GatheredCheck } from './validate-gathered.ts';
import { checkInput } from './validate-inputs.ts';
import { checkJoin } from './validate-joins.ts';
import { checkNames, type Nameable } from './validate-names.ts';
import { checkErrorEdges, checkRoutes } from './validate-routes.ts';
import { SettingsCheck } from './validate-settings.ts';
import { variablesByName } from './validate-variables.ts';
import { checkWebhook } from './validate-webhooks.ts';

/** A graph with indexes for the checks. */
interface Indexed extends Nameable {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly outgoing: ReadonlyMap<string, readonly Edge[]>;
  readonly incoming: ReadonlyMap<string, readonly Edge[]>;
  readonly world: GraphWorld;
  readonly settings: SettingsCheck;
  readonly gathered: GatheredCheck;
}

/** Validates a whole graph without running it: its nodes, its edges and its structure. */
export function validateGraph(graph: Graph, catalogue: Catalogue, world: GraphWorld = noWorld): readonly GraphIssue[] {
  return runThrough(validatingGraph(graph, catalogue, world));
}

/** The same with a pause after each node: all configs of a graph together take seconds to parse. */
export function* validatingGraph(
  graph: Graph,
  catalogue: Catalogue,
  world: GraphWorld = noWorld,
): SlicedWork<readonly GraphIssue[]> {
  const bodies = bodiesOf(graph, graph.edges.filter(isFlow), catalogue);
  const around = {
    nodes: new Map(graph.nodes.map((node) => [node.nodeId, node])),
    outgoing: Map.groupBy(graph.edges, (edge) => edge.sourceNodeId),
    incoming: Map.groupBy(graph.edges, (edge) => edge.targetNodeId),
    catalogue,
  };
  const indexed: Indexed = {
    ...around,
    loopOf: withSubComponents(bodies.loopOf, graph.edges),
    order: new RunOrder(graph, catalogue),
    suggest: suggestions(),
    variables: world.variables && variablesByName(world.variables),
    world,
    settings: new SettingsCheck(world),
    gathered: new GatheredCheck(around),
  };
  const issues = [
    ...(yield* checkNodes(graph.nodes, indexed)),
    ...graph.edges.flatMap((edge) => checkEdgeIn(edge, indexed)),
    ...checkCycles(indexed),
    ...bodies.issues.map((issue): GraphIssue => ({ code: 'loop_body', severity: 'error', ...issue })),
    ...checkReach(indexed),
    ...checkMcpTool(graph, world),
    ...checkMemories(graph, catalogue),
    ...checkInjection(graph, catalogue),
  ];
  return withHints(issues, { ...around, edges: graph.edges });
}

/** The expressions of a sub-component are evaluated where its parent runs. */
function withSubComponents(loopOf: LoopBodies['loopOf'], edges: readonly Edge[]): LoopBodies['loopOf'] {
  const all = new Map(loopOf);
  for (const edge of edges) {
    const loop = isFlow(edge) ? undefined : loopOf.get(edge.targetNodeId);
    if (loop !== undefined && !all.has(edge.sourceNodeId)) all.set(edge.sourceNodeId, loop);
  }
  return all;
}

/** Stops after more rejections than are listed: no other issue changes the result, and each costs time. */
function* checkNodes(nodes: readonly Node[], indexed: Indexed): SlicedWork<readonly GraphIssue[]> {
  const issues: (readonly GraphIssue[])[] = [];
  let rejections = 0;
  for (const node of nodes) {
    const found = checkNode(node, indexed);
    issues.push(found);
    rejections += found.filter(isRejection).length;
    if (rejections > maxIssues) break;
    yield;
  }
  return issues.flat();
}

function checkNode(node: Node, indexed: Indexed): readonly GraphIssue[] {
  const { nodeId, componentType } = node;
  const component = indexed.catalogue.get(componentType);
  if (component === undefined) {
    const known = typeSuggestion(componentType, indexed.catalogue, indexed.suggest);
    const message = `Node '${nodeId}' has the unknown component type '${componentType}'.${known}`;
    return [{ code: 'unknown_component', severity: 'error', nodeId, message }];
  }
  const outgoing = indexed.outgoing.get(nodeId) ?? [];
  return [
    ...checkNodeConfig(node, component),
    ...checkNames(node, component, indexed),
    ...checkCode(node, component, indexed),
    ...checkConnections(node, component, indexed),
    ...checkInput(node, component, indexed),
    ...indexed.gathered.check(node, component),
    ...checkModelSettings(node, component, outgoing),
    ...checkCall(node, indexed.world),
    ...checkWebhook(node, indexed.world),
    ...indexed.settings.check(node, component),
    ...checkJoin(node, component, indexed.incoming.get(nodeId) ?? []),
    ...checkErrorEdges(node, component, outgoing),
    ...checkRoutes(node, outgoing),
  ];
}

function checkNodeConfig({ nodeId, config }: Node, component: Component<never>): readonly GraphIssue[] {
  return checkConfig(config, component).map(({ type, path, message }) => {
    const field = path.join('.');
    const code = type === 'expression' ? 'expression' : 'config';
    const words = `Node '${nodeId}', ${field}: ${message}`;
    return { code, severity: 'error', nodeId, field, path, isKey: type === 'unrecognized_keys', message: words };
  });
}

/**
 * The id of an artificial start node with an edge to every node, for finding cycles anywhere. No real node has an empty
 * id.
 */
const everywhere = '';

/** The maximum number of cycles to report: users fix a few and validate again. */
const maxCycles = 20;

function checkCycles({ nodes, outgoing }: Indexed): readonly GraphIssue[] {
  const issues: GraphIssue[] = [];
  const reported = new Set<string>();
  // A loop returns by its `loop_return` edge: that is not a cycle.
  const follow = (nodeId: string) =>
    (outgoing.get(nodeId) ?? [])
      .filter((edge) => isFlow(edge) && edge.edgeLabel !== 'loop_return')
      .map((edge) => edge.targetNodeId);
  const next = (nodeId: string) =>
    (nodeId === everywhere ? [...nodes.keys()] : follow(nodeId)).filter((target) => !reported.has(target));
  while (issues.length < maxCycles) {
    const cycle = findCycle(everywhere, next);
    const [nodeId] = cycle ?? [];
    if (cycle === null || nodeId === undefined) break;
    for (const name of cycle) reported.add(name);
    const message = `Edges form a cycle: ${cycle.join(' -> ')}. Remove one of them. To repeat nodes, use a loop: only an edge labelled 'loop_return' may lead back.`;
    issues.push({ code: 'cycle', severity: 'error', nodeId, message });
  }
  return issues;
}

function checkReach({ nodes, outgoing, catalogue }: Indexed): readonly GraphIssue[] {
  const severity = 'warning';
  const reached = new Set<string>();
  for (const node of nodes.values()) {
    const component = catalogue.get(node.componentType);
    if (component !== undefined && isTrigger(component)) reached.add(node.nodeId);
  }
  if (reached.size === 0)
    return [
      {
        code: 'no_trigger',
        severity,
        message: 'The workflow has no trigger, so nothing can start it.',
      },
    ];
  for (const nodeId of reached) {
    for (const edge of outgoing.get(nodeId) ?? []) if (isFlow(edge)) reached.add(edge.targetNodeId);
  }
  return [...nodes.values()].flatMap(({ nodeId, componentType }) => {
    const isStep = catalogue.get(componentType)?.run !== undefined;
    if (!isStep || reached.has(nodeId) || isSubComponent(nodeId, outgoing)) return [];
    return [
      {
        code: 'unreachable',
        severity,
        nodeId,
        message: `No path leads from a trigger to node '${nodeId}', so it never runs.`,
      },
    ];
  });
}

/** Reports a tool for MCP clients that they cannot start. */
function checkMcpTool({ nodes }: Graph, { isMcpTool }: GraphWorld): readonly GraphIssue[] {
  if (!isMcpTool || nodes.some(({ componentType }) => componentType === 'trigger_workflow')) return [];
  const message =
    "The workflow is offered to MCP clients, but they cannot start it: add a 'trigger_workflow', or turn `mcp` off.";
  return [{ code: 'mcp_trigger', severity: 'warning', message }];
}

/**
 * Whether the node is connected as a sub-component: it is then called by its parent instead of being reached from a
 * trigger.
 */
function isSubComponent(nodeId: string, outgoing: Indexed['outgoing']): boolean {
  return (outgoing.get(nodeId) ?? []).some((edge) => !isFlow(edge));
}
