import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { processEnvironment, ServiceProcess, testKey } from '../durable/service-process.ts';
import { residentMegabytes } from '../slow/window.ts';
import type { LoadReport } from './load-generator.ts';

/** The size of the test. */
interface Size {
  readonly seconds: number;
  /** The share of 300 connections. */
  readonly share: number;
  /** Seconds after the load until the memory is measured. */
  readonly restSeconds: number;
  /** Megabytes. */
  readonly mostMemory: number;
  /** The longest p99 of small requests, in milliseconds. */
  readonly mostP99: number;
}

/** For every check of the code: the memory of a burst is returned only after a while. */
const small: Size = { seconds: 2, share: 0.1, restSeconds: 0, mostMemory: 500, mostP99: 30_000 };
/**
 * `npm run test:mixed`, with a machine of its own. A small request may wait while several payloads of 5 MB are parsed and
 * stored: each takes 0.3 s.
 */
const full: Size = { seconds: 120, share: 1, restSeconds: 20, mostMemory: 250, mostP99: 2000 };
const size = process.env.MIXED_FULL === '1' ? full : small;

/** WebSockets are limited per key. */
const socketKeys = 3;

test('300 connections of mixed work get no error, and the memory is returned after it', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'mixed-'));
  const service = await ServiceProcess.start(dataDir);
  try {
    const memoryBefore = residentMegabytes(service.pid);
    const memory = watchMemory(service.pid);
    const report = await loaded(service);
    const peak = memory.end();
    await sleep(size.restSeconds * 1000);
    const memoryAfter = residentMegabytes(service.pid);
    console.log(JSON.stringify({ ...report, memoryBefore, peak, memoryAfter }));
    expect(report.failures).toEqual([]);
    for (const [kind, counts] of Object.entries(report.statuses))
      expect({ kind, ...counts }).toEqual({ kind, 200: expect.any(Number) });
    expect(Object.keys(report.statuses)).toHaveLength(6);
    expect(report.events).toBeGreaterThan(0);
    expect(report.lostSubscribers).toBe(0);
    expect(report.p99).toBeLessThan(size.mostP99);
    expect(memoryAfter).toBeLessThan(size.mostMemory);
  } finally {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

/** Lets another process create the load. */
async function loaded(service: ServiceProcess): Promise<LoadReport> {
  const keys = [testKey];
  for (let index = 0; index < socketKeys; index += 1) {
    const { body } = await service.call('POST', '/api/v1/users/me/keys/', { name: `sockets ${index}` });
    keys.push((body as { key: string }).key);
  }
  const script = new URL('./load-generator.ts', import.meta.url).pathname;
  const args = [script, JSON.stringify({ url: service.url, keys }), String(size.seconds), String(size.share)];
  const generator = spawn(process.execPath, args, { env: processEnvironment, stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(await text(generator.stdout)) as LoadReport;
}

/** The highest resident memory of a process, measured every 100 ms. */
function watchMemory(pid: number): { end(): number } {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, residentMegabytes(pid));
  }, 100);
  return {
    end() {
      clearInterval(timer);
      return Math.round(peak);
    },
  };
}
