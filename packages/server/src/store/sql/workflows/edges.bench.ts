/**
 * The cost of saving one edge, with its version: `node edges.bench.ts [directory] [saves]`; the directory should be on
 * the disk to be measured. Each concurrent save has its own workflows, like the users of a service.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../store.ts';
import { newUser, newWorkflow, start } from '../../testsuite/world.ts';
import { openSqliteStore } from '../sqlite.ts';

const [directory = tmpdir(), saves = '40000'] = process.argv.slice(2);
const inFlight = 50;
const workflowsEach = 4;

const folder = mkdtempSync(join(directory, 'millrace-bench-'));
const store = openSqliteStore({ path: join(folder, 'edges.db') });
const { id: ownerId } = await newUser(store);
let left = Number(saves);
const before = { written: bytesWritten(), cpu: process.cpuUsage(), at: performance.now() };
await Promise.all(Array.from({ length: inFlight }, () => edit(store)));
const cpu = process.cpuUsage(before.cpu);
const perSave = (amount: number) => amount / Number(saves);
console.log(
  `${Math.round(Number(saves) / ((performance.now() - before.at) / 1000))} saves/s, ` +
    `${perSave(cpu.user + cpu.system).toFixed(1)} µs CPU and ${perSave((bytesWritten() - before.written) / 1024).toFixed(2)} KiB written each`,
);
await store.close();
rmSync(folder, { recursive: true });

async function edit(on: Store): Promise<void> {
  const workflows = await Promise.all(Array.from({ length: workflowsEach }, () => newWorkflow(on, { ownerId })));
  for (let round = 1; ; round += 1) {
    for (const { id: workflowId } of workflows) {
      left -= 1;
      if (left < 0) return;
      const ends = { sourceNodeId: `a${left}`, targetNodeId: `b${left}` };
      const rest = {
        edgeType: 'direct',
        edgeLabel: '',
        conditionMapping: null,
        conditionValue: '',
        priority: 0,
      } as const;
      const changes = [{ kind: 'create_edge', edge: { ...ends, ...rest } }] as const;
      const origin = { authorId: ownerId, restoredFrom: null };
      const saved = await on.graphs.save({ workflowId, baseVersion: round, changes, at: start + round, origin });
      if (saved === 'stale') throw new Error('somebody else was faster');
    }
  }
}

/** Bytes written by this process, to any file; NaN if there is no /proc. */
function bytesWritten(): number {
  try {
    return Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  } catch {
    return Number.NaN;
  }
}
