import {
  type Catalogue,
  type ChildPaused,
  type Execution,
  Problem,
  planRun,
  retryInSlices,
  standingEntries,
} from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { Turns } from '../../ground/turns.ts';
import type { ExecutionDetail, OwnedExecution, RetriedRun } from '../../store/executions.ts';
import type { Store } from '../../store/store.ts';
import type { Acceptance } from '../acceptance/acceptance.ts';
import { type AccessStore, standingOf } from '../access/access.ts';
import { conflict, expectLive, loadRun } from './ended-run.ts';
import { planOfRun } from './run-plan.ts';

interface RetryPorts {
  readonly store: AccessStore & Pick<Store, 'executions' | 'graphs'>;
  readonly catalogue: Catalogue;
  readonly acceptance: Pick<Acceptance, 'checkRoom'>;
  readonly clock: Clock;
  /** A long journal is folded in several turns. */
  readonly turns: Pick<Turns, 'finish'>;
}

/** Attempts, of which each fails only if another request has retried or deleted a run of this tree meanwhile. */
const mostTries = 5;

/**
 * Retries of one run: its journal contains all of them and is read as a whole. After that a replay can start a run that
 * reuses the results of this one.
 */
const maxRetries = 100;

/**
 * Continues a failed run, with the runs that its steps waited for and that failed or were cancelled. The retry is
 * computed from the stored state and then stored in one transaction, if that state is unchanged. A run that performed
 * no step, because its version was not valid, may continue with another version.
 * @throws Problem `conflict`, `invalid`, `overloaded`
 */
export async function retryRun(ports: RetryPorts, id: string, version: number | null = null): Promise<Execution> {
  const { store, acceptance, clock } = ports;
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const run = await loadRun(store, id);
    if (!hasEndedBadly(run) || run.status !== 'failed') throw notFailed(run);
    if (run.journal.filter(({ fact }) => fact.kind === 'run_retried').length >= maxRetries) throw tooOften();
    await expectLive(store, run.workflowId);
    await acceptance.checkRoom();
    const runs = version === null ? await runsFrom(ports, run) : [await onVersion(ports, run, version)];
    const outcome = await store.executions.retry({ runs, at: clock.now() });
    if (outcome === 'pending') return loadRun(store, id);
    if (outcome === 'stopping') {
      throw conflict('A sub-workflow of this execution is still being cancelled: try again in a moment.');
    }
  }
  throw notFailed(await loadRun(store, id));
}

function notFailed({ status }: Execution): Problem {
  return conflict(`Only an execution that has failed can be retried: it is ${status}.`);
}

function tooOften(): Problem {
  return conflict(`An execution can be retried ${maxRetries} times: replay it to start another one with its results.`);
}

/** A run that failed or was cancelled. */
type EndedBadly = ExecutionDetail & Pick<RetriedRun, 'status'>;

function hasEndedBadly(run: ExecutionDetail): run is EndedBadly {
  return run.status === 'failed' || run.status === 'cancelled';
}

/**
 * The run with the version to continue with.
 * @throws Problem `invalid` if that does not exist, or a step was performed
 */
async function onVersion(
  { store, catalogue, clock, turns }: RetryPorts,
  run: EndedBadly,
  version: number,
): Promise<RetriedRun> {
  const { id, status, journal, workflowId, triggerNodeId, toNodeId } = run;
  const hasBegun = standingEntries(journal).some(({ fact }) => fact.kind !== 'run_finished');
  if (hasBegun) {
    throw invalidVersion(
      'Only an execution that has performed no step can be retried on a version: replay it instead.',
    );
  }
  const found = await store.graphs.at({ workflowId, version });
  if (found === null) throw invalidVersion(`The workflow has no version ${version}, or it is no longer stored.`);
  const { graph } = found;
  const plan = planRun({ graph, catalogue, triggerNodeId, toNodeId });
  const { revoked } = await turns.finish(retryInSlices({ plan, journal, at: clock.now() }));
  return { id, status, afterSeq: journal.at(-1)?.seq ?? 0, revoked, paused: [], pin: { version, graph } };
}

function invalidVersion(msg: string): Problem {
  return new Problem('invalid', [{ type: 'value_error', loc: ['body', 'version'], msg }]);
}

/** The run, and the runs below it that continue with it. */
async function runsFrom(ports: RetryPorts, run: EndedBadly): Promise<readonly RetriedRun[]> {
  const { store, clock, turns } = ports;
  const { id, status, journal } = run;
  const plan = await planOfRun(ports, run);
  const retry = await turns.finish(retryInSlices({ plan, journal, at: clock.now() }));
  const paused: ChildPaused[] = [];
  const below: RetriedRun[] = [];
  for (const fact of retry.paused) {
    const child = await store.executions.detail(fact.pause.executionId);
    // Deleted or pruned: the step starts another one.
    if (child === null) continue;
    paused.push(fact);
    if (!hasEndedBadly(child)) continue;
    await checkCall(store, run, { ...fact, workflowId: child.workflowId });
    below.push(...(await runsFrom(ports, child)));
  }
  return [{ id, status, afterSeq: journal.at(-1)?.seq ?? 0, revoked: retry.revoked, paused }, ...below];
}

/** As when the step ran: with the rights of the owner of the calling workflow. @throws Problem `conflict` */
async function checkCall(
  store: AccessStore,
  { ownerId }: OwnedExecution,
  { nodeId, pause, workflowId }: ChildPaused & Pick<ExecutionDetail, 'workflowId'>,
): Promise<void> {
  const workflow = await store.workflows.byId(workflowId);
  if (workflow !== null && (await standingOf(store, { id: ownerId }, workflow)) !== null) return;
  throw conflict(
    `Node '${nodeId}' cannot continue: workflow '${pause.workflow}' was deleted, or the workflow's owner may not see it.`,
  );
}
