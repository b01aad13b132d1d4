import { readdirSync, readFileSync } from 'node:fs';
import { until } from '../support/by-the-clock.ts';

/** Milliseconds between two checks of the processes. */
const lookMs = 10;
const pageBytes = 4096;

/** Observes all sandbox processes started by this process, from outside. */
export class SandboxCensus {
  largestMb = 0;
  readonly #timer = setInterval(() => {
    for (const pid of sandboxesOf(process.pid)) this.largestMb = Math.max(this.largestMb, residentMb(pid));
  }, lookMs);

  close(): void {
    clearInterval(this.#timer);
  }

  /** Resolves when no process is left. */
  allEnded(): Promise<void> {
    return until(() => sandboxesOf(process.pid).length === 0);
  }
}

/** The ids of the code processes of a service. */
export function sandboxesOf(servicePid: number): string[] {
  const children = childrenOf(String(servicePid));
  const all = [...children, ...children.flatMap(childrenOf)];
  return all.filter((pid) => read(pid, 'cmdline').includes('sandbox/child/main.mjs'));
}

/** Those of the processes that are still running, without zombies. */
export function running(pids: readonly string[]): string[] {
  return pids.filter((pid) => /^State:\s+[^ZX]/m.test(read(pid, 'status')));
}

function childrenOf(pid: string): string[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.flatMap((thread) => read(pid, `task/${thread}/children`).split(' ').filter(Boolean));
  } catch {
    return [];
  }
}

function residentMb(pid: string): number {
  return (Number(read(pid, 'statm').split(' ')[1] ?? 0) * pageBytes) / 1_000_000;
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
