import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Ledger } from './ledger.ts';
import { ServiceProcess, testKey } from './service-process.ts';

/** What a series of kills came to. All but the first two numbers must be zero or empty. */
export interface KillReport {
  readonly rounds: number;
  readonly accepted: number;
  /** Accepted executions that the service does not know any more. */
  readonly lost: string[];
  /** Accepted executions that did not complete within the time allowed after the restart. */
  readonly stuck: string[];
  /** Steps that were journaled as finished before a kill and called the outside world again after it. */
  readonly repeated: string[];
  /** Steps with more than one success in the journal, or more than one Idempotency-Key. */
  readonly doubled: string[];
  /** Milliseconds from start to the first answer, the slowest restart. */
  readonly slowestRestartMs: number;
}

const clients = 20;
/** Milliseconds after a restart by which all that was accepted must have ended. */
const patienceMs = 30_000;

/**
 * Kills the service at random moments while clients post webhooks whose runs call a server outside, starts it again each
 * time, and compares what was promised, what the journal says and what the outside world saw.
 */
export async function killRounds(rounds: number, say: (line: string) => void = () => undefined): Promise<KillReport> {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-kill-'));
  const ledger = await Ledger.open();
  const report = { accepted: new Set<string>(), repeated: [] as string[], slowestRestartMs: 0 };
  let service = await ServiceProcess.start(dataDir);
  try {
    await createWorkflow(service, ledger.url);
    for (let round = 1; round <= rounds; round += 1) {
      const before = report.accepted.size;
      await killUnderLoad(service, report.accepted);
      const finished = finishedSteps(dataDir);
      const seen = new Map(ledger.calls);
      const began = performance.now();
      service = await ServiceProcess.start(dataDir);
      await service.call('GET', '/health/');
      report.slowestRestartMs = Math.max(report.slowestRestartMs, Math.round(performance.now() - began));
      await settled(service);
      for (const step of finished) {
        if ((ledger.calls.get(step) ?? 0) > (seen.get(step) ?? 0)) report.repeated.push(step);
      }
      say(`round ${round}: ${report.accepted.size - before} accepted, ${finished.size} steps had finished at the kill`);
    }
    const ends = await endsOf(service, report.accepted);
    await service.stop();
    return { rounds, ...report, accepted: report.accepted.size, ...ends, doubled: doubledSteps(dataDir, ledger) };
  } finally {
    await service.stop();
    await ledger.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function createWorkflow(service: ServiceProcess, ledgerUrl: string): Promise<void> {
  const call = async (path: string, body: unknown): Promise<void> => {
    const answer = await service.call('POST', `/api/v1/workflows/${path}`, body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  const note = (node_id: string) => ({
    node_id,
    component_type: 'http_request',
    config: {
      extra_config: {
        method: 'POST',
        url: ledgerUrl,
        headers: { 'x-execution': '{{ run.id }}', 'x-node': node_id },
        body: { n: '{{ trigger.payload.n }}' },
      },
    },
  });
  await call('', { name: 'Killed', slug: 'killed' });
  await call('killed/nodes/', { node_id: 'hook', component_type: 'trigger_webhook' });
  await call('killed/nodes/', note('first'));
  await call('killed/nodes/', {
    node_id: 'double',
    component_type: 'transform',
    config: { extra_config: { fields: { n: '{{ trigger.payload.n * 2 }}' } } },
  });
  await call('killed/nodes/', note('second'));
  const chain = ['hook', 'first', 'double', 'second'];
  for (const [index, target_node_id] of chain.slice(1).entries()) {
    await call('killed/edges/', { source_node_id: chain[index], target_node_id });
  }
}

/** Posts from all clients until the kill, which comes at a random moment; remembers what was accepted. */
async function killUnderLoad(service: ServiceProcess, accepted: Set<string>): Promise<void> {
  let alive = true;
  const client = async (): Promise<void> => {
    for (let n = 0; alive; n += 1) {
      try {
        const response = await fetch(`${service.url}/api/v1/webhooks/killed`, {
          method: 'POST',
          headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
          body: JSON.stringify({ n }),
        });
        const body = (await response.json()) as { execution_id?: string };
        if (response.status === 200 && body.execution_id !== undefined) accepted.add(body.execution_id);
      } catch {
        // The kill breaks connections: what was not answered was not accepted.
        return;
      }
    }
  };
  const posting = Array.from({ length: clients }, client);
  // Long enough for runs to be at every stage, short enough for fifty rounds.
  await new Promise((resolve) => setTimeout(resolve, 150 + Math.random() * 450));
  await service.kill();
  alive = false;
  await Promise.all(posting);
}

/** The steps that the journal calls finished, read from a copy: a killed database is mended by whoever opens it. */
function finishedSteps(dataDir: string): Set<string> {
  const rows = readJournal(dataDir);
  return new Set(rows.map((row) => `${row.execution_id} ${row.node_id}`));
}

function doubledSteps(dataDir: string, ledger: Ledger): string[] {
  const counts = Map.groupBy(readJournal(dataDir), (row) => `${row.execution_id} ${row.node_id}`);
  const twice = [...counts].filter(([, rows]) => rows.length > 1).map(([step]) => step);
  const keys = [...ledger.keys].filter(([, used]) => used.size > 1).map(([step]) => step);
  return [...twice, ...keys];
}

function readJournal(dataDir: string): { execution_id: string; node_id: string }[] {
  const copy = mkdtempSync(join(tmpdir(), 'millrace-look-'));
  try {
    cpSync(dataDir, copy, { recursive: true });
    const database = new Database(join(copy, 'millrace.db'));
    const query = `SELECT execution_id, head.value ->> 2 AS node_id FROM journal, json_each(heads) AS head
      WHERE head.value ->> 0 = 'step_succeeded'`;
    const rows = database.prepare(query).all() as {
      execution_id: string;
      node_id: string;
    }[];
    database.close();
    return rows;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Waits until no execution is open, or patience ends. */
async function settled(service: ServiceProcess): Promise<void> {
  const until = performance.now() + patienceMs;
  while (performance.now() < until) {
    const open = await Promise.all(['pending', 'running'].map((status) => countOf(service, status)));
    if (open.every((count) => count === 0)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function countOf(service: ServiceProcess, status: string): Promise<number> {
  const { body } = await service.call('GET', `/api/v1/executions/?status=${status}&limit=1`);
  return (body as { total: number }).total;
}

async function endsOf(
  service: ServiceProcess,
  accepted: ReadonlySet<string>,
): Promise<{ lost: string[]; stuck: string[] }> {
  const completed = new Set<string>();
  const known = new Set<string>();
  for (let offset = 0; ; offset += 1000) {
    const { body } = await service.call('GET', `/api/v1/executions/?limit=1000&offset=${offset}`);
    const { items } = body as { items: { execution_id: string; status: string }[] };
    for (const item of items) {
      known.add(item.execution_id);
      if (item.status === 'completed') completed.add(item.execution_id);
    }
    if (items.length < 1000) break;
  }
  return {
    lost: [...accepted].filter((id) => !known.has(id)),
    stuck: [...accepted].filter((id) => known.has(id) && !completed.has(id)),
  };
}
