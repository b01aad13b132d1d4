import { catalogue } from '@millrace/components';
import {
  advance,
  applyFact,
  type Decision,
  type Edge,
  type Fact,
  type Graph,
  inputOf,
  isObject,
  isTrigger,
  type Json,
  type JsonObject,
  newRunState,
  type Plan,
  type PlanNode,
  Problem,
  planRun,
  type RunState,
  runThrough,
  type StepState,
} from '@millrace/core';
import type { DataType, PlanEdge } from '@millrace/core/testkit';
import { performed, type Reception, trigger } from './performed-steps.ts';

/** A step in a run in which every value is a sample of its port's type. */
export interface Visit {
  readonly nodeId: string;
  /** Whether the graph determines the type of its input, and its port does not take any type. */
  readonly isKnown: boolean;
  /**
   * Whether its input is a boolean for a port that takes only text: the interface allows that edge, although no boolean
   * is a calculation.
   */
  readonly isAllowedBoolean: boolean;
  /** The edges whose values it received. */
  readonly edgeIds: readonly number[];
  /** For each sample. */
  readonly receptions: readonly Reception[];
}

/** What one run did. */
export interface SampledRun {
  readonly visits: readonly Visit[];
  /** The nodes outside of loops that failed by choice. */
  readonly failed: readonly string[];
  readonly hasFailed: boolean;
}

/** A trigger, and the reason why no run can begin at it; null if runs can. */
export interface Start {
  readonly nodeId: string;
  /** The nodes to which edges lead from it, whether they exist or not. */
  readonly reached: ReadonlySet<string>;
  readonly problem: string | null;
}

export interface SampledRuns {
  readonly starts: readonly Start[];
  readonly runs: readonly SampledRun[];
}

/** Values of each type, of which every component that takes the type accepts at least one. */
const samples: Readonly<Record<string, readonly [Json, Json, Json]>> = {
  text: ['1', 'http://example.org/', '2026-03-20T10:00:00Z'],
  number: [0, 1.5, 100],
  boolean: [true, false, true],
  object: [{}, { a: 1 }, { b: [] }],
  array: [[], ['a'], [1]],
  any: ['1', 'http://example.org/', '2026-03-20T10:00:00Z'],
};

/** From each trigger, every choice of routes and failures is run if there are no more than this; else a sample of it. */
const maxChoices = 24;

/** As many as the check itself distinguishes: it makes no statement on a node with more ways to it. */
const maxWays = 64;

const calm = {
  cancelRequested: false,
  now: 0,
  deadline: Number.MAX_SAFE_INTEGER,
  maxSteps: 10_000,
  maxSize: 1e9,
  crashCount: 0,
  incident: null,
};

/** Runs a graph with the engine: real joins, real inputs and real components, with samples for outputs. */
export async function sampledRuns(graph: Graph): Promise<SampledRuns> {
  return runsWith(graph, choicesIn(optionsIn(graph)));
}

/** The runs with every way to a node; null if there are more than the check distinguishes. */
export async function allRunsTo(graph: Graph, nodeId: string): Promise<readonly SampledRun[] | null> {
  const before = closure([nodeId], (id) => graph.edges.filter(isFlow).flatMap((edge) => sourceOf(edge, id)));
  const options = [...optionsIn(graph)].map(
    ([id, all]) => [id, before.has(id) && id !== nodeId ? all : all.slice(0, 1)] as const,
  );
  if (product(options) > maxWays) return null;
  return (await runsWith(graph, choicesIn(new Map(options), maxWays))).runs;
}

function sourceOf({ sourceNodeId, targetNodeId }: Edge, target: string): readonly string[] {
  return targetNodeId === target ? [sourceNodeId] : [];
}

async function runsWith(graph: Graph, choices: readonly Choice[]): Promise<SampledRuns> {
  const starts: Start[] = [];
  const runs: SampledRun[] = [];
  for (const { nodeId, componentType } of graph.nodes) {
    const component = catalogue.get(componentType);
    if (component === undefined || !isTrigger(component)) continue;
    const plan = planOf(graph, nodeId);
    const problem = plan instanceof Problem ? String(plan.detail) : null;
    starts.push({ nodeId, reached: reachedFrom(graph, nodeId), problem });
    if (!(plan instanceof Problem)) for (const choice of choices) runs.push(await runOnce(plan, choice));
  }
  return { starts, runs };
}

/** A node by itself: whether it works when a run performs it without an input. Null if no run can. */
export async function performedAlone(graph: Graph, nodeId: string): Promise<readonly Reception[] | null> {
  const start = { ...graph.nodes[0], id: 0, nodeId: 'alone', componentType: 'trigger_manual', config: {} };
  const connections = graph.edges.filter((edge) => !isFlow(edge) && edge.targetNodeId === nodeId);
  const entry = { ...directEdge, sourceNodeId: start.nodeId, targetNodeId: nodeId };
  const alone = { nodes: [...graph.nodes, start as Graph['nodes'][number]], edges: [...connections, entry] };
  const plan = planOf(alone, start.nodeId);
  if (plan instanceof Problem) return null;
  const { visits } = await runOnce(plan, new Map(), () => null);
  return visits.find((visit) => visit.nodeId === nodeId)?.receptions ?? null;
}

const directEdge = {
  id: 0,
  edgeType: 'direct',
  edgeLabel: '',
  conditionMapping: null,
  conditionValue: '',
  priority: 0,
} as const;

/** Whether runs follow an edge. */
export function isFlow({ edgeLabel }: Pick<Edge, 'edgeLabel'>): boolean {
  return edgeLabel === '' || edgeLabel === 'error' || edgeLabel === 'loop_body' || edgeLabel === 'loop_return';
}

function reachedFrom({ edges }: Graph, start: string): ReadonlySet<string> {
  const flow = edges.filter(isFlow);
  return closure([start], (id) => flow.flatMap((edge) => (edge.sourceNodeId === id ? [edge.targetNodeId] : [])));
}

function closure(starts: readonly string[], next: (nodeId: string) => readonly string[]): ReadonlySet<string> {
  const reached = new Set(starts);
  for (const nodeId of reached) for (const other of next(nodeId)) reached.add(other);
  return reached;
}

function planOf(graph: Graph, triggerNodeId: string): Plan | Problem {
  try {
    return planRun({ graph, catalogue, triggerNodeId });
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** For each node that may fail or route what it does: `fails`, or its route. */
type Choice = ReadonlyMap<string, string>;

const fails = '\0fails';

/** For each node everything that it may do. */
function optionsIn({ nodes, edges }: Graph): ReadonlyMap<string, readonly string[]> {
  return new Map(
    nodes.map(({ nodeId, componentType, config }) => {
      const leaving = edges.filter((edge) => edge.sourceNodeId === nodeId);
      const routes = leaving.flatMap(({ edgeType, conditionValue, conditionMapping }) =>
        edgeType === 'conditional' ? [conditionValue, ...Object.keys(conditionMapping ?? {})] : [],
      );
      const handlesErrors = leaving.some(({ edgeLabel }) => edgeLabel === 'error') || onErrorIn(config) !== undefined;
      const ways = componentType === 'switch' ? [...new Set([...routes, 'another'])] : [''];
      return [nodeId, handlesErrors ? [...ways, fails] : ways];
    }),
  );
}

function onErrorIn({ extra_config: extra }: JsonObject): Json | undefined {
  return isObject(extra) && extra.on_error !== 'stop' ? extra.on_error : undefined;
}

function product(options: Iterable<readonly [string, readonly string[]]>): number {
  return [...options].reduce((ways, [, all]) => ways * all.length, 1);
}

/** A prime with which no number of choices has a divisor in common, so that its multiples reach all of them. */
const stride = 7919;

/** Each combination of options once, or `most` different ones. */
function choicesIn(options: ReadonlyMap<string, readonly string[]>, most = maxChoices): readonly Choice[] {
  const count = product(options);
  const numbers = Array.from({ length: Math.min(count, most) }, (_none, index) =>
    count <= most ? index : (index * stride) % count,
  );
  return numbers.map((number) => {
    let rest = number;
    const choose = (all: readonly string[]) => {
      const chosen = all[rest % all.length] ?? '';
      rest = Math.floor(rest / all.length);
      return chosen;
    };
    return new Map([...options].map(([nodeId, all]) => [nodeId, choose(all)]));
  });
}

async function runOnce(plan: Plan, choice: Choice, sampleOf = sampleFor): Promise<SampledRun> {
  const state = newRunState(plan);
  const visits: Visit[] = [];
  const failed: string[] = [];
  while (state.finished === null) {
    const [next] = advance(state, calm).toSorted((a, b) => Number(a.kind === 'perform') - Number(b.kind === 'perform'));
    if (next === undefined) throw new Error('the run is stuck');
    if (next.kind === 'perform') visits.push(await visit(state, next.step, sampleOf));
    const fact = factOf(next, choice);
    if (fact.kind === 'step_failed' && fact.frame === state.root.key) failed.push(fact.nodeId);
    applyFact(state, fact);
  }
  return { visits, failed, hasFailed: state.finished.status === 'failed' };
}

function factOf(decision: Decision, choice: Choice): Fact {
  if (decision.kind === 'finish') return { kind: 'run_finished', at: 0, ...decision.result };
  if (!('step' in decision)) throw new Error(`a sampled run does not ${decision.kind}`);
  const { node, frame, attempts } = decision.step;
  const place = { nodeId: node.nodeId, frame: frame.key, at: 0 };
  const common = { ...place, attempt: attempts + 1, durationMs: 0 };
  switch (decision.kind) {
    case 'skip':
      return { kind: 'step_skipped', ...place };
    case 'end_loop':
      return { kind: 'step_succeeded', ...common, outputs: decision.outputs };
    case 'perform':
      return factOfStep(decision.step, choice.get(node.nodeId) ?? '');
    default:
      throw new Error(`a sampled run does not ${decision.kind}`);
  }
}

function factOfStep(step: StepState, chosen: string): Fact {
  const { node, frame, attempts } = step;
  const { component } = node;
  const common = { nodeId: node.nodeId, frame: frame.key, attempt: attempts + 1, at: 0, durationMs: 0 };
  const failure = { code: 'step_crashed', message: 'It failed.' } as const;
  if (chosen === fails) return { kind: 'step_failed', ...common, retryAt: null, failure };
  if (component.type === 'loop') {
    return { kind: 'loop_started', ...common, items: ['1'], concurrency: 1, onItemError: 'continue' };
  }
  const others = component.outputs.slice(1).map(({ name, dataType }) => [name, samples[dataType]?.[0] ?? null]);
  const rest: JsonObject = Object.fromEntries(others);
  const [port] = component.outputs;
  if (port === undefined) return { kind: 'step_succeeded', ...common, outputs: rest };
  if (component.type !== 'switch') {
    const outputs = { [port.name]: samples[typeOf(node)]?.[0] ?? null, ...rest };
    return { kind: 'step_succeeded', ...common, outputs };
  }
  const outputs = { [port.name]: runThrough(inputOf(step, trigger)), route: chosen };
  return { kind: 'step_succeeded', ...common, outputs, route: chosen };
}

/** The type of a node's first output, as it is connected. */
function typeOf({ component, subs }: PlanNode): DataType {
  const [port] = component.outputs;
  if (port === undefined) return 'any';
  return component.type === 'agent' && (subs.get('output_parser')?.length ?? 0) > 0 ? 'any' : port.dataType;
}

/** What the component makes of each sample of its input, as a run converts it. */
async function visit(state: RunState, step: StepState, sampleOf: typeof sampleFor): Promise<Visit> {
  const { node, frame, inputEdges } = step;
  const sources = inputEdges.map((edge) => {
    const source = edge.leads === 'on' ? frame.steps.get(edge.source) : undefined;
    return { source, type: source === undefined ? 'any' : typeAlong(edge, source) };
  });
  const isGiven = node.component.inputs.slice(0, 1).some(({ dataType }) => dataType !== 'any');
  const isOfKnownType =
    sources.length > 1 ? node.component.gathers === undefined : sources.some(({ type }) => type !== 'any');
  const receptions: Reception[] = [];
  for (const which of [0, 1, 2]) {
    for (const { source, type } of sources) {
      if (source === undefined) continue;
      if (source.phase === 'succeeded') source.value = sampleOf(type, which, source.value);
    }
    receptions.push(await performed(state, step, runThrough(inputOf(step, trigger))));
  }
  return {
    nodeId: node.nodeId,
    isKnown: isGiven && isOfKnownType,
    isAllowedBoolean:
      sources.length === 1 && sources[0]?.type === 'boolean' && node.component.inputs[0]?.isTextOnly === true,
    edgeIds: inputEdges.map(({ id }) => id),
    receptions,
  };
}

/** A value of unknown type stays as it is. */
function sampleFor(type: DataType, which: number, value: Json): Json {
  return type === 'any' ? value : (samples[type]?.[which] ?? null);
}

/** The type of the value on an edge, as far as the graph determines it. */
function typeAlong({ kind }: PlanEdge, source: StepState): DataType {
  if (source.phase === 'failed') return kind === 'error' ? 'object' : 'any';
  return typeOf(source.node);
}
