import type { LiveMessage } from '@millrace/client';
import type { ExecutionDetail } from '../api/executions.ts';
import { afterLog, afterStatus, afterToken, hasEnded, type StepRun } from './step-run.ts';

/** The state of a node in the watched execution. */
export interface NodeRun extends StepRun {
  /** The number of iterations in which it has succeeded; 1 outside of loops. */
  readonly succeeded: number;
  /** Of a loop: the number of iterations that have ended. */
  readonly done: number | null;
  /** Of an agent: the number of calls of its model and its tools. */
  readonly calls: number | null;
}

/** The watched execution as a whole. */
export interface WatchedRun {
  readonly id: string;
  readonly status: 'running' | 'completed' | 'failed' | 'interrupted' | 'cancelled';
  readonly error: string | null;
  /** The node that failed. */
  readonly errorNodeId: string | null;
  /** The version of the graph that it runs; null until that is known. */
  readonly version: number | null;
  /** The last node to run, if it runs only a part of the workflow. */
  readonly toNode: string | null;
}

/** The loops of the watched execution that have begun, and the iteration that is shown. */
export interface Iterations {
  /** The loop whose iterations can be stepped through. */
  readonly loop: string;
  readonly count: number;
  /** Null for all iterations together. */
  readonly shown: number | null;
}

/** Calls a function before the next frame is painted. */
type NextFrame = (fn: () => void) => void;

/**
 * The live state of one execution, outside the graph: a card subscribes to its own node, so an event redraws one card.
 * Changes are published at most once per frame.
 */
export class RunOverlay {
  readonly #nextFrame: NextFrame;
  readonly #listeners = new Set<() => void>();
  /** By node, then by frame. */
  readonly #steps = new Map<string, Map<string, StepRun>>();
  /** What cards were given: the same object until something of their node changes. */
  readonly #shown = new Map<string, NodeRun | undefined>();
  /** The agents that have made calls: their frames are no iterations. */
  readonly #callers = new Set<string>();
  #stale: ReadonlyMap<string, string> = new Map();
  #run: WatchedRun | null = null;
  #iterations: Iterations | null = null;
  #isScheduled = false;

  constructor(nextFrame: NextFrame) {
    this.#nextFrame = nextFrame;
  }

  /** Null before an execution is watched. */
  get run(): WatchedRun | null {
    return this.#run;
  }

  /** Null if no loop has begun. */
  get iterations(): Iterations | null {
    return this.#iterations;
  }

  /** The number of nodes whose output was pinned. */
  get pins(): number {
    return [...this.#steps.values()].filter((frames) => [...frames.values()].some(({ isPinned }) => isPinned)).length;
  }

  /** Undefined for a node that the execution, or the shown iteration, has not reached. */
  node(nodeId: string): NodeRun | undefined {
    if (!this.#shown.has(nodeId)) this.#shown.set(nodeId, this.#summed(nodeId));
    return this.#shown.get(nodeId);
  }

  /** Why the output of a node is out of date; undefined if it is not. */
  stale(nodeId: string): string | undefined {
    return this.#stale.get(nodeId);
  }

  markStale(stale: ReadonlyMap<string, string>): void {
    if (stale.size === 0 && this.#stale.size === 0) return;
    this.#stale = stale;
    this.#publish();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Shows an execution instead of the one before. */
  watch(id: string): void {
    if (this.#run?.id === id) return;
    this.#run = { id, status: 'running', error: null, errorNodeId: null, version: null, toNode: null };
    this.#stale = new Map();
    this.#steps.clear();
    this.#shown.clear();
    this.#callers.clear();
    this.#iterations = null;
    this.#publish();
  }

  /** Shows one iteration of a loop on all cards of its body, or all iterations together. */
  showIteration(shown: number | null): void {
    if (this.#iterations === null) return;
    this.#iterations = { ...this.#iterations, shown };
    this.#shown.clear();
    this.#publish();
  }

  /** Whether a frame belongs to the iteration that is shown, or to no iteration of that loop. */
  shows(frame: string): boolean {
    const iteration = this.#iterationOf(frame);
    const { loop, shown } = this.#iterations ?? { shown: null };
    return shown === null || iteration === null || iteration.loop !== loop || iteration.index === shown;
  }

  /**
   * Adds what the service has stored of the watched execution: events may be lost, and some arrive before the answer to
   * the request that started it. What an event has reported since then stays.
   */
  fill(detail: ExecutionDetail): void {
    const { execution_id: id, status, error_message: error, error_node_id: errorNodeId, logs } = detail;
    if (this.#run?.id !== id) return;
    this.#run = { ...this.#run, version: detail.workflow_version, toNode: detail.to_node };
    const isOver = ['completed', 'failed', 'cancelled'].includes(status);
    for (const log of logs) {
      this.#addCaller(log.metadata.agent);
      this.#change(log.node_id, log.frame, (before) => afterLog(before, log, isOver));
    }
    const known = status === 'pending' || status === 'waiting' ? 'running' : status;
    if (this.#run.status === 'running') this.#run = { ...this.#run, status: known, error, errorNodeId };
    this.#publish();
  }

  /** Applies an event of the workflow. An execution that starts while none is in progress is watched. */
  receive(message: LiveMessage): void {
    const { type, data } = message;
    const id = data.execution_id;
    if (typeof id !== 'string') return;
    if (type === 'execution_started' && (this.#run === null || this.#run.status !== 'running')) this.watch(id);
    if (this.#run?.id !== id) return;
    const [nodeId, frame] = [String(data.node_id), String(data.frame ?? '')];
    this.#addCaller((data.call as { readonly of?: unknown } | undefined)?.of);
    if (type === 'node_status') this.#change(nodeId, frame, (before) => afterStatus(before, message));
    else if (type === 'token') this.#change(nodeId, frame, (before) => afterToken(before, message));
    else this.#runChanged(type, data);
    this.#publish();
  }

  #change(nodeId: string, frame: string, change: (before: StepRun | undefined) => StepRun): void {
    const frames = this.#steps.get(nodeId) ?? new Map<string, StepRun>();
    this.#steps.set(nodeId, frames);
    frames.set(frame, change(frames.get(frame)));
    this.#shown.delete(nodeId);
    const caller = callerIn(frame);
    if (caller !== null) this.#shown.delete(caller);
    const iteration = this.#iterationOf(frame);
    if (iteration === null) return;
    this.#shown.delete(iteration.loop);
    const { loop, count, shown } = this.#iterations ?? { loop: iteration.loop, count: 0, shown: null };
    if (loop === iteration.loop) this.#iterations = { loop, count: Math.max(count, iteration.index + 1), shown };
  }

  #addCaller(nodeId: unknown): void {
    if (typeof nodeId === 'string') this.#callers.add(nodeId);
  }

  /** The outermost loop of a frame, and its iteration; null outside of loops. */
  #iterationOf(frame: string): ReturnType<typeof outermost> {
    const found = outermost(frame);
    return found !== null && this.#callers.has(found.loop) ? null : found;
  }

  #runChanged(type: string, { error, node_id: nodeId }: LiveMessage['data']): void {
    const status = runStatuses[type];
    if (status === undefined || this.#run === null) return;
    this.#run = {
      ...this.#run,
      status,
      error: typeof error === 'string' ? error : null,
      errorNodeId: status === 'failed' && typeof nodeId === 'string' ? nodeId : null,
    };
  }

  /** The state of a node over all its frames, or in the shown iteration. */
  #summed(nodeId: string): NodeRun | undefined {
    const frames = this.#steps.get(nodeId);
    if (frames === undefined) return this.#started(nodeId);
    const steps = [...frames].filter(([frame]) => this.shows(frame)).map(([, step]) => step);
    const newest = steps.find(({ status }) => status === 'running') ?? steps.at(-1);
    if (newest === undefined) return undefined;
    const calls = this.#callsOf(nodeId);
    return {
      ...newest,
      ...(newest.status === 'running' && calls !== null && { status: statusOfCaller(calls) }),
      succeeded: steps.filter(({ status }) => status === 'success').length,
      tokens: steps.reduce((sum, { tokens }) => sum + tokens, 0),
      costUsd: steps.reduce((sum, { costUsd }) => sum + costUsd, 0),
      done: this.#doneIn(nodeId),
      calls: calls?.length ?? null,
    };
  }

  /** The calls of an agent in the shown iteration; null for other nodes. */
  #callsOf(nodeId: string): readonly StepRun[] | null {
    if (!this.#callers.has(nodeId)) return null;
    return [...this.#steps.values()].flatMap((frames) =>
      [...frames].filter(([frame]) => callerIn(frame) === nodeId && this.shows(frame)).map(([, step]) => step),
    );
  }

  /** A loop or an agent whose beginning no event has reported, but what is inside has been. */
  #started(nodeId: string): NodeRun | undefined {
    const [done, calls] = [this.#doneIn(nodeId), this.#callsOf(nodeId)];
    if (done === null && (calls === null || calls.length === 0)) return undefined;
    const none = { since: null, durationMs: null, error: null, items: null, tokens: 0, costUsd: 0 };
    const text = { text: '', textLength: 0, call: null, total: null, isPinned: false };
    const status = calls === null ? 'running' : statusOfCaller(calls);
    return { status, attempt: 1, ...none, ...text, succeeded: 0, done, calls: calls?.length ?? null };
  }

  /** The iterations of a loop in which every node that any iteration has reached has ended; null for other nodes. */
  #doneIn(loop: string): number | null {
    const counts: number[] = [];
    for (const frames of this.#steps.values()) {
      const inside = [...frames].filter(([frame]) => this.#iterationOf(frame)?.loop === loop);
      if (inside.length > 0) counts.push(inside.filter(([, step]) => hasEnded(step)).length);
    }
    return counts.length === 0 ? null : Math.min(...counts);
  }

  #publish(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#nextFrame(() => {
      this.#isScheduled = false;
      for (const listener of this.#listeners) listener();
    });
  }
}

/** The outermost loop of a frame, and its iteration; null outside of loops. A repeated loop is `name#2[0]`. */
function outermost(frame: string): { readonly loop: string; readonly index: number } | null {
  const parts = /^([^/#[]+)(?:#\d+)?\[(\d+)\]/.exec(frame);
  return parts === null ? null : { loop: parts[1] ?? '', index: Number(parts[2]) };
}

/** The node whose iteration or call a frame is; null for that of the execution. */
function callerIn(frame: string): string | null {
  return /(?:^|\/)([^/#[]+)(?:#\d+)?\[\d+\]$/.exec(frame)?.[1] ?? null;
}

/** An agent waits as long as its calls do. */
function statusOfCaller(calls: readonly StepRun[]): 'running' | 'waiting' {
  const isWaiting = calls.some(({ status }) => status === 'waiting');
  return isWaiting && calls.every(({ status }) => status !== 'running') ? 'waiting' : 'running';
}

const runStatuses: Readonly<Record<string, WatchedRun['status']>> = {
  execution_completed: 'completed',
  execution_failed: 'failed',
  execution_interrupted: 'interrupted',
  execution_cancelled: 'cancelled',
};
