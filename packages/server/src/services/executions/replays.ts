import {
  type Catalogue,
  type Execution,
  type ExecutionStatus,
  forkInSlices,
  type Graph,
  isEnded,
  type JsonObject,
  type Plan,
  Problem,
  planningRun,
  type Trigger,
  type User,
} from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import { newExecutionId } from '../../ground/ids.ts';
import type { Turns } from '../../ground/turns.ts';
import type { ExecutionDetail, Idempotency, NewExecution, OwnedExecution } from '../../store/executions.ts';
import type { VersionedGraph } from '../../store/graphs.ts';
import type { Store } from '../../store/store.ts';
import type { Acceptance } from '../acceptance/acceptance.ts';
import { concurrencyKeyOf } from '../acceptance/concurrency-key.ts';
import type { RejectedStarts, StartAttempt } from '../acceptance/rejected-starts.ts';
import { conflict, expectLive, loadRun } from './ended-run.ts';
import { type ExecutionAccessStore, loadSteerable } from './execution-access.ts';
import { partUpTo } from './part-of-run.ts';
import { retryRun } from './retries.ts';

/** The node to replay from, with other values. */
export interface ReplayRequest {
  readonly fromNode: string;
  /** By node id, the output ports with other values. */
  readonly overrides: Readonly<Record<string, JsonObject>>;
  /** The version of the graph; null for the one that the execution ran. */
  readonly version: number | null;
  /** The last node to run; null for all nodes. If it is `fromNode`, only this node runs. */
  readonly toNode: string | null;
  /** The same key for the same execution within 24 hours starts no other execution. */
  readonly idempotency: Idempotency | null;
}

/** An execution that replays another; `created` is false if an earlier request with the same key started it. */
interface Replayed {
  readonly id: string;
  readonly created: boolean;
  readonly status: ExecutionStatus;
}

/** Retries and replays of runs that have ended. */
export interface Replays {
  /** @throws Problem `not_found`, or `read_only` for a reader */
  find(user: User, id: string): Promise<OwnedExecution>;
  /**
   * Continues a failed execution from the node that failed, with the sub-workflows that its steps waited for.
   * @throws Problem `conflict`, `invalid`, `overloaded`
   */
  retry(execution: OwnedExecution, version: number | null): Promise<Execution>;
  /**
   * Starts an execution that reuses the results of this one before a node, and returns its id.
   * @throws Problem `conflict`, `invalid`, `overloaded`, `idempotency_conflict`
   */
  replay(execution: OwnedExecution, request: ReplayRequest): Promise<Replayed>;
}

interface ReplaysPorts {
  readonly store: ExecutionAccessStore & Pick<Store, 'graphs'>;
  readonly catalogue: Catalogue;
  readonly acceptance: Acceptance;
  readonly rejectedStarts: RejectedStarts;
  readonly clock: Clock;
  /** A long journal is folded in several turns. */
  readonly turns: Pick<Turns, 'finish'>;
}

export function createReplays(ports: ReplaysPorts): Replays {
  const { store, rejectedStarts } = ports;
  return {
    find: (user, id) => loadSteerable(store, user, id),
    retry: (execution, version) =>
      rejectedStarts.watch(attemptOf(execution, 'retry'), () => retryRun(ports, execution.id, version)),
    replay: (execution, request) =>
      rejectedStarts.watch(attemptOf(execution, 'replay'), () => replay(ports, execution, request)),
  };
}

function attemptOf(execution: OwnedExecution, trigger: 'retry' | 'replay'): StartAttempt {
  const { id: executionId, workflowSlug: workflow, triggerNodeId: nodeId } = execution;
  return { workflow, trigger, nodeId, executionId };
}

async function replay(ports: ReplaysPorts, { id }: OwnedExecution, request: ReplayRequest): Promise<Replayed> {
  const { store, acceptance, catalogue, clock, turns } = ports;
  const source = await loadRun(store, id);
  const { status, workflowId, triggerNodeId } = source;
  const { graph, isKept } = await graphOf(ports, source, request.version);
  const { fromNode, toNode: toNodeId } = request;
  if (toNodeId !== null) partUpTo(toNodeId, { graph, catalogue, triggerNodeId });
  const plan = await turns.finish(planningRun({ graph, catalogue, triggerNodeId, toNodeId }));
  checkNames(request, plan);
  if (!isEnded(status)) throw conflict(`Only an execution that has ended can be replayed: it is ${status}.`);
  const workflow = await expectLive(store, workflowId);
  const overrides = new Map(Object.entries(request.overrides));
  const pins = source.isManual ? pinsOf(plan) : new Map<string, JsonObject>();
  const from = { executionId: id, journal: source.journal };
  const facts = await turns.finish(
    forkInSlices({ plan, source: from, fromNode, overrides, pins, isAlone: fromNode === toNodeId, isKept }),
  );
  const trigger = overridden(source.trigger, overrides.get(triggerNodeId) ?? {});
  const at = clock.now();
  const replayed = await acceptance.accept({
    id: newExecutionId(at),
    workflowId,
    graph,
    triggerNodeId,
    trigger,
    concurrencyKey: concurrencyKeyOf(workflow, trigger),
    idempotency: acceptance.useOf(`replay:${id}`, request.idempotency),
    toNodeId,
    // The replay of a manual run is a manual run.
    isManual: source.isManual,
    fork: { executionId: id, facts },
    ...recordedAnswers(source),
    at,
  });
  const known = replayed.created ? null : await store.executions.byId(replayed.id);
  return { ...replayed, status: known?.status ?? 'pending' };
}

/** An execution with recorded answers has no access to the outside, and neither has its replay. */
function recordedAnswers({ id, recordedIn }: ExecutionDetail): Pick<NewExecution, 'recording'> {
  if (recordedIn?.isReplayed !== true) return {};
  // Who may replay a part of a recording may not always read all of it.
  if (recordedIn.id !== id)
    throw conflict(`The execution has answers of the recording of execution ${recordedIn.id}: replay that one.`);
  return { recording: { kind: 'copied', from: recordedIn.id } };
}

function pinsOf({ nodes }: Plan): ReadonlyMap<string, JsonObject> {
  return new Map(
    [...nodes.values()].flatMap(({ nodeId, policies: { pinned_output: pin } }) =>
      pin === undefined ? [] : [[nodeId, pin] as const],
    ),
  );
}

interface ReplayGraph {
  readonly graph: VersionedGraph;
  readonly isKept: (nodeId: string) => boolean;
}

/** The graph to run; `isKept` is true for nodes of the same type as before. */
async function graphOf(ports: ReplaysPorts, source: ExecutionDetail, wanted: number | null): Promise<ReplayGraph> {
  const { graphs } = ports.store;
  const { workflowId, workflowVersion } = source;
  const pinned = await graphs.pinned({ workflowId, version: workflowVersion });
  const version = wanted ?? workflowVersion;
  const graph = version === workflowVersion ? pinned : ((await graphs.at({ workflowId, version }))?.graph ?? null);
  if (graph === null) throw invalid(['version'], `The workflow has no version ${version}, or it is no longer stored.`);
  const before = typesOf(pinned);
  const after = typesOf(graph);
  return { graph: { ...graph, version }, isKept: (nodeId) => before.get(nodeId) === after.get(nodeId) };
}

function typesOf(graph: Graph | null): ReadonlyMap<string, string> {
  return new Map(graph?.nodes.map((node) => [node.nodeId, node.componentType]));
}

/** Rejects names of nodes that the run does not have, and of ports that the nodes do not have. */
function checkNames({ fromNode, overrides }: ReplayRequest, { nodes, loopOf }: Plan): void {
  if (!nodes.has(fromNode)) throw invalid(['from_node'], `Node '${fromNode}' is not a step of this workflow.`);
  for (const [nodeId, values] of Object.entries(overrides)) {
    const ports = nodes.get(nodeId)?.component.outputs.map((port) => port.name);
    const loop = loopOf.get(nodeId);
    if (loop !== undefined) {
      throw invalid(['overrides', nodeId], `Node '${nodeId}' is in the body of a loop: give the outputs of '${loop}'.`);
    }
    if (ports === undefined) throw invalid(['overrides', nodeId], `Node '${nodeId}' is not a step of this workflow.`);
    const unknown = Object.keys(values).find((name) => !ports.includes(name));
    if (unknown === undefined) continue;
    throw invalid(['overrides', nodeId, unknown], `Node '${nodeId}' has no output '${unknown}'.`);
  }
}

/** In expressions, `trigger` follows the overrides of the trigger node. */
function overridden(trigger: Trigger, ports: JsonObject): Trigger {
  const { payload = trigger.payload, text } = ports;
  return { ...trigger, payload, ...(typeof text === 'string' && { text }) };
}

function invalid(path: readonly string[], msg: string): Problem {
  return new Problem('invalid', [{ type: 'value_error', loc: ['body', ...path], msg }]);
}
