/**
 * How many small runs per second the store handles through their whole life: accept → claim → append of three steps and
 * the end. `node sqlite.bench.ts [directory] [runs] [in flight]`; the directory should be on the disk to be measured.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyGraph, type Fact } from '@millrace/core';
import type { ClaimedRun } from '../executions.ts';
import type { Store } from '../store.ts';
import { newWorkflow, someTrigger, start } from '../testsuite/world.ts';
import { openSqliteStore } from './sqlite.ts';

const [directory = tmpdir(), runs = '40000', inFlight = '200'] = process.argv.slice(2);
const folder = mkdtempSync(join(directory, 'millrace-bench-'));
for (const appends of [1, 4]) {
  const store = openSqliteStore({ path: join(folder, `${appends}.db`) });
  const started = performance.now();
  const cpu = process.cpuUsage();
  await live(store, { runs: Number(runs), inFlight: Number(inFlight), appends });
  const seconds = (performance.now() - started) / 1000;
  const used = process.cpuUsage(cpu);
  await store.close();
  const perRun = (used.user + used.system) / Number(runs);
  console.log(
    `${appends} append(s) a run, ${inFlight} in flight: ${Math.round(Number(runs) / seconds)} runs/s, ${perRun.toFixed(0)} µs CPU a run`,
  );
}
rmSync(folder, { recursive: true });

async function live(store: Store, load: { runs: number; inFlight: number; appends: number }): Promise<void> {
  const workflow = await newWorkflow(store);
  let accepted = 0;
  let ended = 0;
  let claiming = false;
  let more = false;
  const done = Promise.withResolvers<void>();

  function acceptOne(): void {
    if (accepted === load.runs) return;
    accepted += 1;
    const id = `${String(accepted).padStart(12, '0')}-7000-8000-000000000000`;
    const run = {
      id,
      workflowId: workflow.id,
      graph: { ...emptyGraph, version: 1 },
      triggerNodeId: 'start',
      trigger: someTrigger,
    };
    void store.executions.accept({ ...run, idempotency: null, at: start });
  }

  async function perform(run: ClaimedRun): Promise<void> {
    const facts = factsOf(run);
    const size = facts.length / load.appends;
    for (let first = 0; first < facts.length; first += size) {
      const { id, workflowId, epoch } = run;
      await store.executions.append({
        id,
        workflowId,
        epoch,
        afterSeq: first,
        facts: facts.slice(first, first + size),
        events: [],
      });
    }
    ended += 1;
    if (ended === load.runs) done.resolve();
    acceptOne();
  }

  // One claim at a time, and one more if runs were accepted meanwhile.
  async function claimAll(): Promise<void> {
    claiming = true;
    while (more) {
      more = false;
      const claim = { owner: 'bench', now: start, monotonic: 0, leaseUntil: start + 30_000, limit: 500 };
      for (const run of await store.executions.claim(claim)) void perform(run);
    }
    claiming = false;
  }

  store.subscribe({
    pending: () => {
      more = true;
      if (!claiming) void claimAll();
    },
  });
  for (let i = 0; i < load.inFlight; i += 1) acceptOne();
  await done.promise;
}

function factsOf(run: ClaimedRun): Fact[] {
  const steps = ['start', 'transform', 'respond'].map(
    (nodeId): Fact => ({
      kind: 'step_succeeded',
      nodeId,
      frame: '',
      at: start,
      attempt: 1,
      durationMs: 0.25,
      outputs: { result: run.trigger.payload },
    }),
  );
  return [
    ...steps,
    { kind: 'run_finished', at: start, status: 'completed', output: run.trigger.payload, failure: null, nodeId: null },
  ];
}
