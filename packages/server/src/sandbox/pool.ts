import { StepError } from '@millrace/core';
import type { CancelTimer, Timers } from '../ground/clock.ts';
import type { CodeLimits, Launch } from './launch.ts';
import { SandboxProcess } from './sandbox-process.ts';

interface PoolParts {
  readonly launch: Launch;
  readonly limits: CodeLimits;
  readonly processes: number;
  readonly timers: Timers;
}

/** Whose script needs a process: of a workflow, and of its owner. */
interface ScriptSource {
  readonly workflowId: number;
  readonly ownerId: number;
}

/** A script that waits for a process. */
interface Waiter extends ScriptSource {
  readonly serve: (process: SandboxProcess | null) => void;
}

/** Milliseconds for which an idle process waits for its workflow's next script before it is ended. */
const idleMs = 60_000;

/** Ten steps of each of a thousand executions. Each waits within its step's own time limit. */
const maxWaiters = 10_000;
/** Those of one owner: the others find room. */
const maxWaitersOfOwner = 5_000;

function tooMany(count: number): StepError {
  const message = `${count} scripts wait for the sandbox: try again later, or raise MILLRACE_CODE_PROCESSES.`;
  return new StepError('code_unavailable', message, { retryable: true });
}

/** Warm processes, each for one workflow only, and the scripts that wait for one. The owners of workflows take turns. */
export class Pool {
  readonly #parts: PoolParts;
  readonly #running = new Map<SandboxProcess, number>();
  /** Processes that have served a workflow and can be reused, the most recently used last. */
  readonly #idle = new Map<SandboxProcess, { readonly workflowId: number; readonly expire: CancelTimer }>();
  /** By owner, in the order in which the owners are served; each in order. */
  readonly #waiters = new Map<number, Set<Waiter>>();
  #waiting = 0;
  /** Started in advance, so that the next workflow does not wait for a start. */
  #spare: SandboxProcess | null = null;
  #isClosed = false;

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  /**
   * A process for a script of this workflow, as soon as one is available; null if the signal is aborted first.
   * @throws StepError `code_unavailable` if too many scripts wait
   */
  async take(source: ScriptSource, signal: AbortSignal): Promise<SandboxProcess | null> {
    const { workflowId, ownerId } = source;
    if (this.#waiting >= maxWaiters) throw tooMany(maxWaiters);
    if ((this.#waiters.get(ownerId)?.size ?? 0) >= maxWaitersOfOwner) throw tooMany(maxWaitersOfOwner);
    return new Promise((resolve) => {
      const giveUp = (): void => waiter.serve(null);
      const waiter: Waiter = {
        workflowId,
        ownerId,
        serve: (process) => {
          signal.removeEventListener('abort', giveUp);
          this.#leave(waiter);
          resolve(process);
        },
      };
      if (this.#isClosed || signal.aborted) {
        resolve(null);
        return;
      }
      signal.addEventListener('abort', giveUp);
      this.#waiters.set(ownerId, (this.#waiters.get(ownerId) ?? new Set()).add(waiter));
      this.#waiting += 1;
      this.#serveNext();
    });
  }

  giveBack(process: SandboxProcess): void {
    const workflowId = this.#running.get(process);
    this.#running.delete(process);
    if (workflowId === undefined || process.isOver || this.#isClosed) process.kill();
    else this.#keep(process, workflowId);
    this.#serveNext();
  }

  close(): void {
    this.#isClosed = true;
    for (const waiters of [...this.#waiters.values()]) for (const waiter of waiters) waiter.serve(null);
    for (const process of this.#running.keys()) process.kill();
    for (const process of this.#idle.keys()) this.#drop(process);
    this.#spare?.kill();
  }

  #serveNext(): void {
    while (this.#running.size < this.#parts.processes) {
      const [next] = this.#waiters;
      if (next === undefined) return;
      const [ownerId, waiters] = next;
      // To the end, behind the owners that wait.
      this.#waiters.delete(ownerId);
      this.#waiters.set(ownerId, waiters);
      const [waiter] = waiters;
      if (waiter === undefined) return;
      const process = this.#processFor(waiter.workflowId);
      this.#running.set(process, waiter.workflowId);
      waiter.serve(process);
    }
  }

  #leave(waiter: Waiter): void {
    const waiters = this.#waiters.get(waiter.ownerId);
    if (waiters?.delete(waiter) !== true) return;
    this.#waiting -= 1;
    if (waiters.size === 0) this.#waiters.delete(waiter.ownerId);
  }

  #processFor(workflowId: number): SandboxProcess {
    for (const [process, { workflowId: served, expire }] of this.#idle) {
      if (served !== workflowId || process.isOver) continue;
      expire();
      this.#idle.delete(process);
      return process;
    }
    const fresh = this.#spare?.isOver === false ? this.#spare : this.#start();
    this.#spare = this.#start();
    return fresh;
  }

  #start(): SandboxProcess {
    const { launch, limits, timers } = this.#parts;
    return new SandboxProcess(launch, limits, timers);
  }

  /** Keeps a process for its workflow; if there are too many, ends the least recently used one. */
  #keep(process: SandboxProcess, workflowId: number): void {
    const expire = this.#parts.timers.after(idleMs, () => this.#drop(process));
    this.#idle.set(process, { workflowId, expire });
    const [oldest] = this.#idle.keys();
    if (this.#idle.size > this.#parts.processes && oldest !== undefined) this.#drop(oldest);
  }

  #drop(process: SandboxProcess): void {
    this.#idle.get(process)?.expire();
    this.#idle.delete(process);
    process.kill();
  }
}
