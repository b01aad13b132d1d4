import { ZodError } from 'zod';
import { runThrough, type SlicedWork } from '../base/meter.ts';
import { schemaIssues } from '../base/schema-issues.ts';
import { type Catalogue, type Component, isTrigger } from '../component/component.ts';
import { promptIn, splitExtraConfig, takesModel, toolSlot } from '../component/config-check.ts';
import { type NodeConfig, storedNodeConfig } from '../component/node-config.ts';
import { type Policies, policies } from '../component/policies.ts';
import { type ToolSettings, toolKey } from '../component/tools/tool-settings.ts';
import { Problem } from '../errors.ts';
import { type CompiledConfig, compileConfig } from '../expression/config/config.ts';
import { ExpressionError } from '../expression/expression-error.ts';
import type { Edge, Graph, Node } from '../graph/graph.ts';
import { bodiesOf } from '../graph/graph-bodies.ts';
import type { LoopBodies } from '../graph/loop-bodies.ts';
import { suppliesOwnInput } from '../graph/own-input.ts';
import {
  modelIn,
  type SubComponent,
  type SubComponents,
  subComponentsOf,
  withModelSettings,
} from '../graph/sub-components.ts';
import { type PlanVariables, variablesOf } from './plan-variables.ts';
import { flowUpTo, isFlow } from './run-part.ts';

/** An edge that a run follows. */
export interface PlanEdge {
  readonly id: number;
  readonly source: string;
  readonly target: string;
  readonly kind: 'direct' | 'conditional' | 'error';
  /**
   * Whether it leads to a node in the same frame (`on`), into a new frame of a loop (`in`), or back out of one
   * (`back`).
   */
  readonly leads: 'on' | 'in' | 'back';
  readonly conditionValue: string;
  readonly conditionMapping: ReadonlyMap<string, string> | null;
  readonly priority: number;
}

/** A node as a run uses it: everything resolved, parsed and compiled, once per version. */
export interface PlanNode {
  readonly nodeId: string;
  readonly component: Component<never>;
  /** The node's common config, with the settings that it inherits from its model node. */
  readonly common: NodeConfig;
  readonly policies: Policies;
  /** Whether its config supplies its input, so that edges only order its execution. */
  readonly suppliesOwnInput: boolean;
  /** The component's own part of `extra_config`. */
  readonly config: CompiledConfig;
  /** `{system_prompt}` of a node that calls a model; null for all others. */
  readonly prompt: CompiledConfig | null;
  readonly subs: SubComponents;
  /** How it presents itself to agents as a tool. */
  readonly tool: ToolSettings;
  /** The connected nodes whose steps it may call, its model and its tools, by node id. */
  readonly callees: ReadonlyMap<string, PlanNode>;
  /** Whether approval is required before its step begins, and after it has succeeded. */
  readonly interruptBefore: boolean;
  readonly interruptAfter: boolean;
  /**
   * By priority (highest first), then edge id: the order in which inputs are collected. Without edges that return to a
   * loop.
   */
  readonly incoming: readonly PlanEdge[];
  /** Without edges from a loop into its body. */
  readonly outgoing: readonly PlanEdge[];
}

/**
 * The body of a loop: the nodes that run once in each of its frames. The nodes in the body of a nested loop belong only
 * to that body.
 */
export interface PlanBody {
  readonly nodes: readonly PlanNode[];
  /** The edges into the body, each carrying the item. */
  readonly entries: readonly PlanEdge[];
  /** The edges back to the loop, by priority, then edge id. */
  readonly returns: readonly PlanEdge[];
}

/** The part of a workflow's version that one trigger reaches: read-only, shared by all its runs. */
export interface Plan {
  readonly trigger: string;
  readonly nodes: ReadonlyMap<string, PlanNode>;
  /** The nodes outside of all loop bodies. */
  readonly root: readonly PlanNode[];
  /** By the id of the loop. */
  readonly bodies: ReadonlyMap<string, PlanBody>;
  /** For each node in a body, the innermost loop around it. */
  readonly loopOf: ReadonlyMap<string, string>;
  /** Whether any of its nodes has URLs that expressions can use before the node has run, such as callback URLs. */
  readonly hasLinks: boolean;
  /** The variables that its expressions name: `all` if they use `vars` as a whole, null if they use no variable. */
  readonly variables: PlanVariables;
  /** The other triggers and steps of the version, which this trigger does not reach. */
  readonly unreached: ReadonlyMap<string, 'trigger' | 'step'>;
}

interface PlanParams {
  readonly graph: Graph;
  readonly catalogue: Catalogue;
  readonly triggerNodeId: string;
  /** The last node to run, for a run that performs only the nodes before it; null or absent for all nodes. */
  readonly toNodeId?: string | null;
}

/**
 * Compiles a plan for runs.
 * @throws Problem `invalid` if the part that the trigger reaches cannot run; its message names the node or the edge
 */
export function planRun(params: PlanParams): Plan {
  return runThrough(planningRun(params));
}

/** The same with a pause after each node: all configs of a graph together take seconds to parse. */
export function* planningRun(params: PlanParams): SlicedWork<Plan> {
  const { graph, catalogue, triggerNodeId, toNodeId = null } = params;
  const byNodeId = new Map(graph.nodes.map((node) => [node.nodeId, node]));
  const trigger = byNodeId.get(triggerNodeId);
  const component = trigger && catalogue.get(trigger.componentType);
  if (trigger === undefined || component === undefined || !isTrigger(component)) {
    reject(`node '${triggerNodeId}' is not a trigger`);
  }
  const all = graph.edges.filter(isFlow).sort(inEdgeOrder);
  const flow = toNodeId === null ? all : flowUpTo(all, { ...params, toNodeId });
  const bySource = Map.groupBy(flow, (edge) => edge.sourceNodeId);
  const reached = reach(triggerNodeId, bySource);
  if (toNodeId !== null && !reached.has(toNodeId)) {
    reject(`no edges lead from '${triggerNodeId}' to node '${toNodeId}'`);
  }
  const followed = flow.filter((edge) => reached.has(edge.sourceNodeId));
  const edges = followed.map(planEdge);
  const nodes = yield* planNodes(reached, edges, params);
  const onward = (nodeId: string) =>
    (bySource.get(nodeId) ?? []).filter((edge) => edge.edgeLabel !== 'loop_return').map((edge) => edge.targetNodeId);
  const cycle = findCycle(triggerNodeId, onward);
  if (cycle !== null) reject(`its edges form a cycle: ${cycle.join(' -> ')}`);
  const { loopOf, issues } = bodiesOf(graph, flow, catalogue);
  const followedIds = new Set(followed.map(({ id }) => id));
  const issue = issues.find(({ nodeId, edgeId = 0 }) =>
    nodeId === undefined ? followedIds.has(edgeId) : reached.has(nodeId),
  );
  if (issue !== undefined) throw new Problem('invalid', `The workflow cannot run. ${issue.message}`);
  const root = [...nodes.values()].filter(({ nodeId }) => !loopOf.has(nodeId));
  const bodies = planBodies(nodes, edges, loopOf);
  const hasLinks = [...nodes.values()].some((node) => node.component.links !== undefined);
  const unreached = unreachedBy(reached, params);
  const variables = variablesOf([...nodes.values()]);
  return { trigger: triggerNodeId, nodes, root, bodies, loopOf, hasLinks, variables, unreached };
}

function unreachedBy(reached: ReadonlySet<string>, { graph, catalogue }: PlanParams): Plan['unreached'] {
  const others = graph.nodes.flatMap(({ nodeId, componentType }): [string, 'trigger' | 'step'][] => {
    const component = catalogue.get(componentType);
    if (component?.run === undefined || reached.has(nodeId)) return [];
    return [[nodeId, isTrigger(component) ? 'trigger' : 'step']];
  });
  return new Map(others);
}

function* planNodes(
  reached: ReadonlySet<string>,
  edges: readonly PlanEdge[],
  params: PlanParams,
): SlicedWork<Map<string, PlanNode>> {
  const { graph, catalogue } = params;
  const byNodeId = new Map(graph.nodes.map((node) => [node.nodeId, node]));
  const incoming = Map.groupBy(edges, (edge) => edge.target);
  const outgoing = Map.groupBy(edges, (edge) => edge.source);
  const connections = Map.groupBy(
    graph.edges.filter((edge) => !isFlow(edge)),
    (edge) => edge.targetNodeId,
  );
  const nodes = new Map<string, PlanNode>();
  for (const nodeId of reached) {
    const node = byNodeId.get(nodeId);
    if (node === undefined) reject(`an edge leads to node '${nodeId}', which does not exist`);
    const isReachedByEdge = incoming.has(nodeId);
    const around = { incoming: connections.get(nodeId) ?? [], nodes: byNodeId, catalogue, isReachedByEdge };
    nodes.set(nodeId, {
      ...withNodeErrors(nodeId, () => planNode(node, around)),
      incoming: (incoming.get(nodeId) ?? []).filter(({ leads }) => leads !== 'back'),
      outgoing: (outgoing.get(nodeId) ?? []).filter(({ leads }) => leads !== 'in'),
    });
    yield;
  }
  return nodes;
}

/**
 * Turns the errors of an invalid config, which a graph from an older release or an import may contain, into a Problem.
 */
function withNodeErrors<T>(nodeId: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ExpressionError) reject(`node '${nodeId}' has a config that cannot be read: ${error.message}`);
    if (!(error instanceof ZodError)) throw error;
    const [issue] = schemaIssues(error);
    reject(`node '${nodeId}' has an invalid config at '${issue?.path.join('.')}': ${issue?.message}`);
  }
}

function planBodies(
  nodes: ReadonlyMap<string, PlanNode>,
  edges: readonly PlanEdge[],
  loopOf: LoopBodies['loopOf'],
): ReadonlyMap<string, PlanBody> {
  const members = Map.groupBy(nodes.values(), ({ nodeId }) => loopOf.get(nodeId));
  const entries = Map.groupBy(
    edges.filter(({ leads }) => leads === 'in'),
    ({ source }) => source,
  );
  const returns = Map.groupBy(
    edges.filter(({ leads }) => leads === 'back'),
    ({ target }) => target,
  );
  const bodyOf = (loop: string): PlanBody => ({
    nodes: members.get(loop) ?? [],
    entries: entries.get(loop) ?? [],
    returns: returns.get(loop) ?? [],
  });
  return new Map([...new Set(loopOf.values())].map((loop) => [loop, bodyOf(loop)]));
}

function reject(reason: string): never {
  throw new Problem('invalid', `The workflow cannot run: ${reason}.`);
}

/** By priority, highest first, then by id: the order in which ready nodes start and inputs are collected. */
function inEdgeOrder(a: Edge, b: Edge): number {
  return b.priority - a.priority || a.id - b.id;
}

function reach(start: string, bySource: ReadonlyMap<string, readonly Edge[]>): Set<string> {
  const reached = new Set([start]);
  for (const nodeId of reached) {
    for (const edge of bySource.get(nodeId) ?? []) reached.add(edge.targetNodeId);
  }
  return reached;
}

function planEdge(edge: Edge): PlanEdge {
  return {
    id: edge.id,
    source: edge.sourceNodeId,
    target: edge.targetNodeId,
    kind: edge.edgeLabel === 'error' ? 'error' : edge.edgeType,
    leads: edge.edgeLabel === 'loop_body' ? 'in' : edge.edgeLabel === 'loop_return' ? 'back' : 'on',
    conditionValue: edge.conditionValue,
    conditionMapping: edge.conditionMapping && new Map(Object.entries(edge.conditionMapping)),
    priority: edge.priority,
  };
}

type Surroundings = Parameters<typeof subComponentsOf>[1] & { readonly isReachedByEdge: boolean };

function planNode(node: Node, around: Surroundings): Omit<PlanNode, 'incoming' | 'outgoing'> {
  const component = around.catalogue.get(node.componentType);
  if (component === undefined) reject(`node '${node.nodeId}' has the unknown type '${node.componentType}'`);
  if (component.run === undefined)
    reject(`node '${node.nodeId}' (${component.type}) is not a step, but an edge leads to it`);
  if (isTrigger(component) && around.isReachedByEdge) {
    reject(`node '${node.nodeId}' is a trigger, but an edge leads to it`);
  }
  const common = storedNodeConfig(node.config);
  const { own, shared } = splitExtraConfig(common.extra_config, component);
  const subs = subComponentsOf(component, around);
  const settings = withModelSettings(common, modelIn(subs));
  return {
    nodeId: node.nodeId,
    component,
    common: settings,
    policies: policies.parse(shared),
    suppliesOwnInput: suppliesOwnInput(common, component),
    config: compileConfig(own, component),
    prompt: takesModel(component) ? compileConfig(promptIn(common, component)) : null,
    subs,
    tool: {},
    callees: calleesOf(component, subs, settings),
    interruptBefore: node.interruptBefore,
    interruptAfter: node.interruptAfter,
  };
}

const noCallees: PlanNode['callees'] = new Map();

/** The nodes that a node can call: the model connected last, called with the settings of the node, and its tools. */
function calleesOf({ proceed }: Component<never>, subs: SubComponents, common: NodeConfig): PlanNode['callees'] {
  const model = modelIn(subs);
  if (proceed === undefined || model === undefined) return noCallees;
  const tools = (subs.get(toolSlot) ?? []).map((tool): [string, PlanNode] => [tool.nodeId, callee(tool)]);
  return new Map([...tools, [model.nodeId, callee({ ...model, common })]]);
}

function callee({ nodeId, component, common, config, interruptBefore, interruptAfter }: SubComponent): PlanNode {
  const { shared, tool } = splitExtraConfig(common.extra_config, component);
  return {
    nodeId,
    component,
    common,
    policies: policies.parse(shared),
    suppliesOwnInput: true,
    config,
    prompt: null,
    subs: new Map(),
    tool: toolKey.parse(tool).tool ?? {},
    callees: noCallees,
    interruptBefore,
    interruptAfter,
    incoming: [],
    outgoing: [],
  };
}

/** A cycle among the nodes that `start` reaches, as their names (first = last); null if there is none. */
export function findCycle(start: string, targetsOf: (nodeId: string) => readonly string[]): string[] | null {
  const done = new Set<string>();
  const path: { nodeId: string; rest: string[] }[] = [{ nodeId: start, rest: [...targetsOf(start)] }];
  const onPath = new Set([start]);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const next = top.rest.pop();
    if (next === undefined) {
      path.pop();
      onPath.delete(top.nodeId);
      done.add(top.nodeId);
    } else if (onPath.has(next)) {
      const names = path.map((entry) => entry.nodeId);
      return [...names.slice(names.indexOf(next)), next];
    } else if (!done.has(next)) {
      path.push({ nodeId: next, rest: [...targetsOf(next)] });
      onPath.add(next);
    }
  }
  return null;
}
