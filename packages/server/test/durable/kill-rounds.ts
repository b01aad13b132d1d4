import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { stateViolations } from './kill-state.ts';
import { createWorkflow, killedWorkflows } from './kill-workflows.ts';
import { Ledger } from './ledger.ts';
import { ServiceProcess, testKey } from './service-process.ts';
import { storeExecutions } from './stored-executions.ts';

/** The result of a series of kills. All but the first two numbers must be zero or empty. */
export interface KillReport {
  readonly rounds: number;
  readonly accepted: number;
  /** Accepted executions that the service no longer has. */
  readonly lost: string[];
  /** Accepted executions that did not complete within the time allowed after the restart. */
  readonly unfinished: string[];
  /** Steps that were journaled as finished before a kill and called the external server again after it. */
  readonly repeatedSteps: string[];
  /**
   * Steps with more than one success in the journal, with more than one Idempotency-Key, or with the key of another
   * step.
   */
  readonly duplicateSteps: string[];
  /** Steps of completed executions that never called the external server. */
  readonly missingSteps: string[];
  /** Values of state that do not follow from exactly one change for each committed step. */
  readonly wrongState: string[];
  /** Milliseconds from the start of the process to its first answer, for each restart. */
  readonly restartMs: readonly number[];
}

/** Executions in the history before the first kill. */
const storedBefore = 10_000;

const clients = 20;
/**
 * Milliseconds after a restart after which an execution that has not ended counts as unfinished. As long as the general limit of a
 * test, because a slow machine must not fail the test: executions end within seconds on an ordinary one.
 */
const patienceMs = 300_000;
/** Executions that are accepted before each kill, so that it happens under load. */
const leastAccepted = 20;

/**
 * Kills the service at random moments while clients post webhooks whose runs call an external server, restarts it each
 * time, and compares what was acknowledged, the journal, and the calls that the external server received.
 */
export async function killRounds(rounds: number, say: (line: string) => void = () => undefined): Promise<KillReport> {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-kill-'));
  const ledger = await Ledger.open();
  const report = { accepted: new Set<string>(), repeatedSteps: [] as string[], restartMs: [] as number[] };
  const workflows = killedWorkflows(ledger.url);
  const slugs = workflows.filter(({ isStarted }) => isStarted).map(({ slug }) => slug);
  let service = await ServiceProcess.start(dataDir);
  try {
    for (const workflow of workflows) await createWorkflow(service, workflow);
    await service.stop();
    await storeExecutions(dataDir, 'killed', storedBefore);
    service = await ServiceProcess.start(dataDir);
    for (let round = 1; round <= rounds; round += 1) {
      const before = report.accepted.size;
      await killUnderLoad(service, slugs, report.accepted);
      const finished = finishedSteps(dataDir);
      const seen = new Map(ledger.calls);
      const began = performance.now();
      service = await ServiceProcess.start(dataDir);
      await service.call('GET', '/health/');
      report.restartMs.push(Math.round(performance.now() - began));
      const isSettled = await settled(service);
      for (const step of finished) {
        if ((ledger.calls.get(step) ?? 0) > (seen.get(step) ?? 0)) report.repeatedSteps.push(step);
      }
      say(`round ${round}: ${report.accepted.size - before} accepted, ${finished.size} steps had finished at the kill`);
      if (!isSettled) break;
    }
    const runs = await allRuns(service);
    await service.stop();
    const callsOf = new Map(workflows.map(({ slug, calls }) => [slug, calls]));
    return {
      rounds,
      ...report,
      accepted: report.accepted.size,
      ...endsOf(runs, report.accepted),
      missingSteps: runs
        .filter(({ status }) => status === 'completed')
        .flatMap((run) => (callsOf.get(run.workflow_slug) ?? []).map((step) => `${run.execution_id} ${step}`))
        .filter((step) => !ledger.calls.has(step)),
      wrongState: stateViolations(dataDir),
      duplicateSteps: duplicateSteps(dataDir, ledger),
    };
  } finally {
    await service.stop();
    await ledger.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Posts from all clients until the kill, at a random moment under load; records what was accepted. */
async function killUnderLoad(service: ServiceProcess, slugs: readonly string[], accepted: Set<string>): Promise<void> {
  let alive = true;
  const isLoaded = Promise.withResolvers<void>();
  const before = accepted.size;
  const client = async (_: unknown, index: number): Promise<void> => {
    for (let n = index; alive; n += 1) {
      try {
        const response = await fetch(`${service.url}/api/v1/webhooks/${slugs[n % slugs.length]}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
          body: JSON.stringify({ n }),
        });
        const body = (await response.json()) as { execution_id?: string };
        if (response.status === 200 && body.execution_id !== undefined) accepted.add(body.execution_id);
        if (accepted.size - before >= leastAccepted) isLoaded.resolve();
      } catch {
        // The kill breaks connections: requests without an answer were not accepted.
        return;
      }
    }
  };
  const posting = Array.from({ length: clients }, client);
  // Long enough for runs to be at every stage, short enough for a hundred rounds.
  await Promise.all([isLoaded.promise, new Promise((resolve) => setTimeout(resolve, 150 + Math.random() * 450))]);
  await service.kill();
  alive = false;
  await Promise.all(posting);
}

/** The finished steps in the journal, read from a copy, because opening a killed database repairs it. */
function finishedSteps(dataDir: string): Set<string> {
  const rows = readJournal(dataDir);
  return new Set(rows.map(nameOf));
}

function duplicateSteps(dataDir: string, ledger: Ledger): string[] {
  const counts = Map.groupBy(readJournal(dataDir), nameOf);
  const twice = [...counts].filter(([, rows]) => rows.length > 1).map(([step]) => step);
  const keys = [...ledger.keys].filter(([, used]) => used.size > 1).map(([step]) => step);
  const users = Map.groupBy(
    [...ledger.keys].flatMap(([step, used]) => [...used].map((key) => ({ step, key }))),
    ({ key }) => key,
  );
  const shared = [...users.values()].filter((steps) => steps.length > 1).map(([first]) => first?.step ?? '');
  return [...twice, ...keys, ...shared];
}

interface JournaledStep {
  readonly execution_id: string;
  readonly node_id: string;
  readonly frame: string;
}

/** The name of a step in the ledger, with the index of its iteration. */
function nameOf({ execution_id, node_id, frame }: JournaledStep): string {
  const index = /\[(\d+)\]$/.exec(frame)?.[1];
  return `${execution_id} ${node_id}${index === undefined ? '' : `-${index}`}`;
}

function readJournal(dataDir: string): readonly JournaledStep[] {
  const copy = mkdtempSync(join(tmpdir(), 'millrace-look-'));
  try {
    cpSync(dataDir, copy, { recursive: true });
    const database = new Database(join(copy, 'millrace.db'));
    const query = `SELECT execution_id, head.value ->> 2 AS node_id, head.value ->> 3 AS frame FROM journal, json_each(heads) AS head
      WHERE head.value ->> 0 = 'step_succeeded'`;
    const rows = database.prepare(query).all() as JournaledStep[];
    database.close();
    return rows;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Waits until no execution is open; false if the time limit ends first. */
async function settled(service: ServiceProcess): Promise<boolean> {
  const until = performance.now() + patienceMs;
  while (performance.now() < until) {
    const open = await Promise.all(
      ['pending', 'running', 'waiting', 'interrupted'].map((status) => countOf(service, status)),
    );
    if (open.every((count) => count === 0)) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

async function countOf(service: ServiceProcess, status: string): Promise<number> {
  const { body } = await service.call('GET', `/api/v1/executions/?status=${status}&limit=1`);
  return (body as { total: number }).total;
}

interface ListedRun {
  readonly execution_id: string;
  readonly workflow_slug: string;
  readonly status: string;
}

async function allRuns(service: ServiceProcess): Promise<readonly ListedRun[]> {
  const runs: ListedRun[] = [];
  for (;;) {
    const { body } = await service.call('GET', `/api/v1/executions/?limit=1000&offset=${runs.length}`);
    const { items } = body as { items: ListedRun[] };
    runs.push(...items);
    if (items.length < 1000) return runs;
  }
}

/** The accepted runs that are missing, and those that have not completed; runs started by others must complete, too. */
function endsOf(runs: readonly ListedRun[], accepted: ReadonlySet<string>): { lost: string[]; unfinished: string[] } {
  const known = new Map(runs.map((run) => [run.execution_id, run.status]));
  const inner = runs.filter((run) => run.workflow_slug === 'inner').map((run) => run.execution_id);
  return {
    lost: [...accepted].filter((id) => !known.has(id)),
    unfinished: [...accepted, ...inner].filter((id) => known.has(id) && known.get(id) !== 'completed'),
  };
}
