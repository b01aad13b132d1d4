import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds between two looks at the processes. */
const lookMs = 10;
const pageBytes = 4096;

/** Watches all processes of sandboxes that this process started, from outside. */
export class SandboxCensus {
  largestMb = 0;
  readonly #timer = setInterval(() => {
    for (const pid of sandboxesOf(process.pid)) this.largestMb = Math.max(this.largestMb, residentMb(pid));
  }, lookMs);

  close(): void {
    clearInterval(this.#timer);
  }

  /** How many are left once they have had time to die. */
  async countAfterClose(): Promise<number> {
    for (let tries = 0; tries < 100 && sandboxesOf(process.pid).length > 0; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return sandboxesOf(process.pid).length;
  }
}

/** The processes for code that a service has, by their ids. */
export function sandboxesOf(servicePid: number): string[] {
  const children = childrenOf(String(servicePid));
  const all = [...children, ...children.flatMap(childrenOf)];
  return all.filter((pid) => read(pid, 'cmdline').includes('sandbox/child/main.mjs'));
}

/** Of these processes, those that still run. One that has ended and that nobody has asked about yet does not. */
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
