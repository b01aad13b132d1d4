import { type Catalogue, type ExecutionStatus, type Json, Problem, type Workflow } from '@millrace/core';
import { newExecutionId } from '../../ground/ids.ts';
import type { Idempotency, IdempotentUse, NewExecution } from '../../store/executions.ts';
import type { VersionedGraph } from '../../store/graphs.ts';
import type { NewRecording } from '../../store/recordings.ts';
import type { Store } from '../../store/store.ts';
import { concurrencyKeyOf } from '../acceptance/concurrency-key.ts';
import type { StartPorts } from '../acceptance/start-ports.ts';
import { partUpTo } from './part-of-run.ts';
import { type AskedRecording, type RecordingAccessStore, recordingToStart } from './recordings.ts';

/** A request to start a manual run. */
export interface ManualStart {
  /** The user who starts it: idempotency keys of different users are independent. */
  readonly userId: number;
  /** Undefined for the default payload of the trigger. */
  readonly payload: Json | undefined;
  readonly text: string;
  readonly triggerNodeId: string | null;
  /** The version of the graph; null for the one that triggers run. */
  readonly version: number | 'draft' | null;
  /** The last node to run; null for all nodes. */
  readonly toNodeId: string | null;
  /** Null for none. */
  readonly recording: AskedRecording | null;
  /** Whether to wait until the run has ended. */
  readonly wait: boolean;
  readonly idempotency: Idempotency | null;
}

/** A manual run, as returned to its caller. */
export interface ManuallyStarted {
  readonly id: string;
  readonly status: ExecutionStatus;
  /** True if an earlier request with the same key started it. */
  readonly isReplayed: boolean;
  /** Its result so far; null if the caller does not wait. */
  readonly outcome: { readonly output: Json; readonly errorMessage: string | null } | null;
}

/** The dependencies of a manual start. */
export interface ManualStartPorts extends StartPorts {
  readonly store: RecordingAccessStore & Pick<Store, 'graphs'>;
  readonly catalogue: Catalogue;
}

/** How long a caller waits for a manual run: about as long as people wait, and proxies keep a connection open. */
const waitMs = 30_000;
const untilEnd = { moment: 'end', timeoutMs: waitMs } as const;

/** Starts a workflow manually, unless an earlier request with the same key did. */
export async function startManually(
  ports: ManualStartPorts,
  workflow: Workflow,
  start: ManualStart,
): Promise<ManuallyStarted> {
  const { acceptance, rejectedStarts, triggers } = ports;
  const idempotency = acceptance.useOf(`execute:${start.userId}`, start.idempotency);
  const attempt = { workflow: workflow.slug, trigger: 'manual' } as const;
  // Before any check: an accepted request is not rejected later because the workflow or the load has changed.
  const earlier = await rejectedStarts.watch(attempt, () => acceptance.earlier(workflow, idempotency));
  if (earlier !== null) return answerAgain(ports, earlier, start);
  const begin = await rejectedStarts.watch(attempt, async () => {
    const graph = await graphToStart(ports, workflow, start.version);
    const recording = await recordingToStart(ports.store, { id: start.userId }, { workflow, asked: start.recording });
    return { workflow, graph, triggerNodeId: triggers.byHand(graph, start.triggerNodeId), idempotency, recording };
  });
  const watched = { ...attempt, nodeId: begin.triggerNodeId };
  return rejectedStarts.watch(watched, () => startAt(ports, begin, start));
}

interface Begin {
  readonly workflow: Workflow;
  readonly graph: VersionedGraph;
  readonly triggerNodeId: string;
  readonly idempotency: IdempotentUse | null;
  readonly recording: NewRecording | undefined;
}

/** Starts a workflow at a trigger node. */
async function startAt(ports: ManualStartPorts, begin: Begin, start: ManualStart): Promise<ManuallyStarted> {
  const { acceptance } = ports;
  const run = await runOf(ports, begin, start);
  const ended = start.wait ? ports.resultWaiters.expect(run.id, untilEnd) : null;
  try {
    const { id, created } = await acceptance.accept(run);
    if (!created) {
      ended?.abandon();
      return await answerAgain(ports, id, start);
    }
  } catch (error) {
    ended?.abandon();
    throw error;
  }
  await ended?.answer;
  return answerOf(ports, run.id, { isReplayed: false, isAwaited: ended !== null });
}

async function runOf(ports: ManualStartPorts, begin: Begin, start: ManualStart): Promise<NewExecution> {
  const { triggers, inputSchemas, validity, catalogue, clock } = ports;
  const { workflow, graph, triggerNodeId, idempotency, recording } = begin;
  const { payload = triggers.manualPayload(graph, triggerNodeId), text, toNodeId } = start;
  inputSchemas.check(workflow, payload, ['body', 'payload']);
  const part = toNodeId === null ? null : partUpTo(toNodeId, { graph, catalogue, triggerNodeId });
  await validity.check(workflow, graph, part);
  const trigger = { payload, text };
  const at = clock.now();
  return {
    id: newExecutionId(at),
    workflowId: workflow.id,
    graph,
    triggerNodeId,
    trigger,
    concurrencyKey: concurrencyKeyOf(workflow, trigger),
    idempotency,
    isManual: true,
    toNodeId,
    ...(recording !== undefined && { recording }),
    at,
  };
}

async function graphToStart(
  { graphs, store }: ManualStartPorts,
  workflow: Workflow,
  version: ManualStart['version'],
): Promise<VersionedGraph> {
  if (version === null) return graphs.effective(workflow);
  if (version === 'draft') return graphs.current(workflow);
  const found = await store.graphs.at({ workflowId: workflow.id, version });
  if (found !== null) return { ...found.graph, version };
  const msg = `The workflow has no version ${version}, or it is no longer stored.`;
  throw new Problem('invalid', [{ type: 'value_error', loc: ['body', 'version'], msg }]);
}

async function answerAgain(ports: ManualStartPorts, id: string, { wait }: ManualStart): Promise<ManuallyStarted> {
  if (wait) await (await ports.resultWaiters.expectExisting(id, untilEnd)).answer;
  return answerOf(ports, id, { isReplayed: true, isAwaited: wait });
}

interface Asked {
  readonly isReplayed: boolean;
  readonly isAwaited: boolean;
}

async function answerOf(
  { store }: ManualStartPorts,
  id: string,
  { isReplayed, isAwaited }: Asked,
): Promise<ManuallyStarted> {
  // A run that was just accepted is pending, or about to start.
  if (!isAwaited && !isReplayed) return { id, status: 'pending', isReplayed, outcome: null };
  if (!isAwaited)
    return { id, status: (await store.executions.byId(id))?.status ?? 'pending', isReplayed, outcome: null };
  const run = await store.executions.readable(id);
  const outcome = { output: run?.finalOutput ?? null, errorMessage: run?.failure?.message ?? null };
  return { id, status: run?.status ?? 'pending', isReplayed, outcome };
}
