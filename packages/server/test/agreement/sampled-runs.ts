import { catalogue } from '@millrace/components';
import { attempted } from '@millrace/components/testkit';
import {
  advance,
  applyFact,
  type Component,
  type DataType,
  type Decision,
  type Fact,
  type Graph,
  inputOf,
  isObject,
  isTrigger,
  type Json,
  type JsonObject,
  newRunState,
  type Plan,
  type PlanEdge,
  type PlanNode,
  Problem,
  planRun,
  StepError,
  type StepState,
} from '@millrace/core';

/** What a component made of an input of a known type: it works on it, it rejects its type, or something else fails. */
export type Reception = 'accepted' | 'rejected' | 'other';

/** A step in a run in which every value is a sample of its port's type. */
export interface Visit {
  readonly nodeId: string;
  /** Whether the graph determines the type of its input, and its port does not take any type. */
  readonly isKnown: boolean;
  /** The edges whose values it received. */
  readonly edgeIds: readonly number[];
  /** For each sample. */
  readonly receptions: readonly Reception[];
}

/** What the runs of a graph did, for every choice of routes and failures; null if there are too many choices. */
export interface SampledRuns {
  readonly runs: readonly (readonly Visit[])[] | null;
  /** The triggers from which no run can begin, with the reason. */
  readonly rejected: readonly string[];
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

/** The maximum number of combinations of routes and failures that are simulated. */
const maxChoices = 24;

const calm = {
  cancelRequested: false,
  now: 0,
  deadline: Number.MAX_SAFE_INTEGER,
  maxSteps: 10_000,
  maxSize: 1e9,
  crashCount: 0,
};

/** Runs a graph with the engine: real joins, real inputs and real components, with samples for outputs. */
export async function sampledRuns(graph: Graph): Promise<SampledRuns> {
  const runs: (readonly Visit[])[] = [];
  const rejected: string[] = [];
  const choices = choicesIn(graph);
  for (const { nodeId, componentType } of graph.nodes) {
    const component = catalogue.get(componentType);
    if (component === undefined || !isTrigger(component)) continue;
    const plan = planOf(graph, nodeId);
    if (plan instanceof Problem) rejected.push(`${nodeId}: ${String(plan.detail)}`);
    else for (const choice of choices ?? []) runs.push(await runOnce(plan, choice));
  }
  return { runs: choices === null ? null : runs, rejected };
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

function choicesIn({ nodes, edges }: Graph): readonly Choice[] | null {
  let choices: Choice[] = [new Map()];
  for (const { nodeId, componentType, config } of nodes) {
    const leaving = edges.filter((edge) => edge.sourceNodeId === nodeId);
    const routes = leaving.flatMap(({ edgeType, conditionValue, conditionMapping }) =>
      edgeType === 'conditional' ? [conditionValue, ...Object.keys(conditionMapping ?? {})] : [],
    );
    const options = [
      ...(componentType === 'switch' ? new Set([...routes, 'another']) : ['']),
      ...(leaving.some(({ edgeLabel }) => edgeLabel === 'error') || continues(config) ? [fails] : []),
    ];
    choices = choices.flatMap((choice) => options.map((option) => new Map([...choice, [nodeId, option]])));
    if (choices.length > maxChoices) return null;
  }
  return choices;
}

function continues({ extra_config: extra }: JsonObject): boolean {
  return isObject(extra) && extra.on_error === 'continue';
}

async function runOnce(plan: Plan, choice: Choice): Promise<readonly Visit[]> {
  const state = newRunState(plan);
  const visits: Visit[] = [];
  while (state.finished === null) {
    const [next] = advance(state, calm).toSorted((a, b) => Number(a.kind === 'perform') - Number(b.kind === 'perform'));
    if (next === undefined) throw new Error('the run is stuck');
    if (next.kind === 'perform') visits.push(await visit(next.step));
    applyFact(state, factOf(next, choice));
  }
  return visits;
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
      return performed(decision.step, choice.get(node.nodeId) ?? '');
    default:
      throw new Error(`a sampled run does not ${decision.kind}`);
  }
}

function performed(step: StepState, chosen: string): Fact {
  const { node, frame, attempts } = step;
  const common = { nodeId: node.nodeId, frame: frame.key, attempt: attempts + 1, at: 0, durationMs: 0 };
  const failure = { code: 'step_crashed', message: 'It failed.' } as const;
  if (chosen === fails) return { kind: 'step_failed', ...common, retryAt: null, failure };
  if (node.component.type === 'loop') {
    return { kind: 'loop_started', ...common, items: ['1'], concurrency: 1, onItemError: 'continue' };
  }
  const port = node.component.outputs[0];
  if (port === undefined) return { kind: 'step_succeeded', ...common, outputs: {} };
  if (node.component.type !== 'switch') {
    return { kind: 'step_succeeded', ...common, outputs: { [port.name]: samples[typeOf(node)]?.[0] ?? null } };
  }
  const outputs = { [port.name]: inputOf(step, trigger), route: chosen };
  return { kind: 'step_succeeded', ...common, outputs, route: chosen };
}

const trigger = { payload: { kind: 'a' }, text: '' };

/** The type of a node's first output, as it is connected. */
function typeOf({ component, subs }: PlanNode): DataType {
  const [port] = component.outputs;
  if (port === undefined) return 'any';
  return component.type === 'agent' && (subs.get('output_parser')?.length ?? 0) > 0 ? 'any' : port.dataType;
}

/** What the component makes of each sample of its input, as a run converts it. */
async function visit(step: StepState): Promise<Visit> {
  const { node, frame, inputEdges } = step;
  const sources = inputEdges.map((edge) => {
    const source = edge.leads === 'on' ? frame.steps.get(edge.source) : undefined;
    return { source, type: source === undefined ? 'any' : typeAlong(edge, source) };
  });
  const isGiven = node.component.inputs.slice(0, 1).some(({ dataType }) => dataType !== 'any');
  const isOfKnownType =
    sources.length > 1 ? node.component.gathers === undefined : sources.some(({ type }) => !unknown.includes(type));
  const isKnown = isGiven && isOfKnownType;
  const receptions: Reception[] = [];
  for (const which of [0, 1, 2]) {
    for (const { source, type } of sources) {
      if (source?.phase === 'succeeded' && type !== 'any') source.value = samples[type]?.[which] ?? null;
    }
    receptions.push(await receive(step, inputOf(step, trigger)));
  }
  return { nodeId: node.nodeId, isKnown, edgeIds: inputEdges.map(({ id }) => id), receptions };
}

/** Types that say too little: the two texts that booleans become are no calculation, but other texts are not, either. */
const unknown: readonly DataType[] = ['any', 'boolean'];

/** The type of the value on an edge, as far as the graph determines it. */
function typeAlong({ kind }: PlanEdge, source: StepState): DataType {
  if (source.phase === 'failed') return kind === 'error' ? 'object' : 'any';
  return typeOf(source.node);
}

const received = new Map<string, Reception>();

/** Performs the component with the input: with what its config holds, and everything outside answering well. */
async function receive({ node }: StepState, input: Json): Promise<Reception> {
  const config = node.config.source as JsonObject;
  const parsers = node.subs.get('output_parser') ?? [];
  const key = JSON.stringify([node.component.type, config, input, parsers.length]);
  const known = received.get(key) ?? (await performWith(node.component, { input, config }));
  received.set(key, known);
  return known;
}

async function performWith(
  component: Component<never>,
  { input, config }: { readonly input: Json; readonly config: JsonObject },
): Promise<Reception> {
  try {
    await attempted(component, {
      input,
      config,
      model: async () => ({ text: '[1]', stop: 'end' }) as never,
      http: ({ url }) => ({ url, isFromHome: true, status: 200, headers: {}, body: emptyBody }),
      runScript: () => ({ output: null }) as never,
      startWorkflow: async () => 'an-id',
    });
    return 'accepted';
  } catch (error) {
    return error instanceof StepError && error.code === 'input' ? 'rejected' : 'other';
  }
}

const emptyBody = { size: 0, text: () => '', base64: () => '' };
