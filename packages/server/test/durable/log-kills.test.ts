import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { maxLogBytes } from '../../src/store/sql/database/log/log-limits.ts';
import { ServiceProcess, testKey } from './service-process.ts';
import { slowDisk } from './slow-disk/slow-disk.ts';

/** Four kills here; `npm run test:log-kills` kills 200 times. */
const kills = Number(process.env.LOG_KILLS ?? 4);
/** Waits and rejections begin at 1 and 5 MiB in place of 64 and 320. */
const factor = 64;
const bytesPerSecond = 5 * 1_048_576;
const payload = JSON.stringify({ text: 'x'.repeat(200_000) });
/** Six megabytes at once: more than a second of this disk. */
const clients = 30;
const program = { script: new URL('./slow-disk/small-log-service.ts', import.meta.url), args: [] };

let folder: string;
let dataDir: string;
let disk: Record<string, string> | null;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-log-kills-'));
  dataDir = join(folder, 'data');
  disk = slowDisk(folder, bytesPerSecond);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the senders saw, and the largest log. */
interface Burst {
  readonly accepted: Set<string>;
  rejected: number;
  largestLog: number;
}

function logSize(): number {
  return statSync(join(dataDir, 'millrace.db-wal'), { throwIfNoEntry: false })?.size ?? 0;
}

/** Sends webhooks until the service ends. */
async function send(url: string, burst: Burst): Promise<void> {
  const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' };
  for (;;) {
    try {
      const answer = await fetch(`${url}/api/v1/webhooks/hook`, { method: 'POST', headers, body: payload });
      const body = (await answer.json()) as { execution_id?: string };
      burst.largestLog = Math.max(burst.largestLog, logSize());
      if (answer.status === 200 && body.execution_id !== undefined) burst.accepted.add(body.execution_id);
      else if (answer.status === 503 && answer.headers.get('retry-after') !== null) {
        burst.rejected += 1;
        await new Promise((resolve) => setTimeout(resolve, 50));
      } else throw new Error(`${answer.status} ${JSON.stringify(body)}`);
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

function ended(): { damage: unknown; ids: Set<string> } {
  const db = new Database(join(dataDir, 'millrace.db'));
  try {
    const damage = db.pragma('integrity_check(1)', { simple: true });
    const rows = db.prepare('SELECT id FROM executions').all() as { id: string }[];
    return { damage, ids: new Set(rows.map(({ id }) => id)) };
  } finally {
    db.close();
  }
}

test('a service that is killed while its log is over its bound on a slow disk loses nothing', async ({ skip }) => {
  if (disk === null) return skip('there is no C compiler, which makes the slow disk');
  const environment = { ...disk, LOG_FACTOR: String(factor) };
  const burst: Burst = { accepted: new Set(), rejected: 0, largestLog: 0 };
  for (let kill = 0; kill < kills; kill += 1) {
    const service = await ServiceProcess.start(dataDir, environment, program);
    if (kill === 0) {
      const yaml_str =
        'name: hook\nslug: hook\ntrigger: webhook\nsteps:\n  - {id: pause, type: wait, duration: 3600}\n';
      expect((await service.call('POST', '/api/v1/workflows/import/', { yaml_str })).status).toBe(201);
    }
    const senders = Array.from({ length: clients }, () => send(service.url, burst));
    // At random moments of the first syncs, waits and rejections.
    await new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * 3_700));
    await service.kill();
    await Promise.all(senders);
    const { damage, ids } = ended();
    expect(damage).toBe('ok');
    expect([...burst.accepted].filter((id) => !ids.has(id))).toEqual([]);
  }
  const { accepted, rejected, largestLog } = burst;
  if (kills > 4) console.log({ kills, accepted: accepted.size, rejected, largestLog });
  // A few kills may all come before the first answers.
  expect(accepted.size).toBeGreaterThan(kills > 4 ? kills : 0);
  // One transaction more than the size for which writes wait.
  expect(largestLog).toBeLessThan(maxLogBytes / factor + clients * payload.length);
}, 3_600_000);
