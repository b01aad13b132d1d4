import type { LiveMessage } from '@millrace/client';
import type { ExecutionDetail } from '../api/executions.ts';

/** The newest state of a node in the watched execution. */
export interface NodeRun {
  readonly status: 'running' | 'success' | 'failed' | 'skipped' | 'retrying' | 'waiting';
  /** The number of attempts that ended successfully, over all iterations of a loop. */
  readonly succeeded: number;
  /** Of the newest attempt that ended, in milliseconds. */
  readonly durationMs: number | null;
  readonly error: string | null;
}

/** The watched execution as a whole. */
export interface WatchedRun {
  readonly id: string;
  readonly status: 'running' | 'completed' | 'failed' | 'interrupted' | 'cancelled';
  readonly error: string | null;
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
  #nodes: ReadonlyMap<string, NodeRun> = new Map();
  #run: WatchedRun | null = null;
  #isScheduled = false;

  constructor(nextFrame: NextFrame) {
    this.#nextFrame = nextFrame;
  }

  /** Null before an execution is watched. */
  get run(): WatchedRun | null {
    return this.#run;
  }

  /** Undefined for a node that the execution has not reached. */
  node(nodeId: string): NodeRun | undefined {
    return this.#nodes.get(nodeId);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Shows an execution instead of the one before. */
  watch(id: string): void {
    if (this.#run?.id === id) return;
    this.#run = { id, status: 'running', error: null };
    this.#nodes = new Map();
    this.#publish();
  }

  /**
   * Adds what the service has stored of the watched execution: events may be lost, and some arrive before the answer to
   * the request that started it. A node that an event has reported already stays as it is.
   */
  fill({ execution_id: id, status, error_message: error, logs }: ExecutionDetail): void {
    if (this.#run?.id !== id) return;
    const nodes = new Map<string, NodeRun>();
    for (const log of logs) {
      const succeeded = (nodes.get(log.node_id)?.succeeded ?? 0) + (log.status === 'success' ? 1 : 0);
      nodes.set(log.node_id, { status: log.status, succeeded, durationMs: log.duration_ms, error: log.error });
    }
    this.#nodes = new Map([...nodes, ...this.#nodes]);
    const known = status === 'pending' || status === 'waiting' ? 'running' : status;
    if (this.#run.status === 'running') this.#run = { ...this.#run, status: known, error };
    this.#publish();
  }

  /** Applies an event of the workflow. An execution that starts while none is in progress is watched. */
  receive({ type, data }: LiveMessage): void {
    const id = data.execution_id;
    if (typeof id !== 'string') return;
    if (type === 'execution_started' && (this.#run === null || this.#run.status !== 'running')) this.watch(id);
    if (this.#run?.id !== id) return;
    if (type === 'node_status') this.#nodeChanged(data);
    else this.#runChanged(type, data);
  }

  #nodeChanged(data: LiveMessage['data']): void {
    const nodeId = String(data.node_id);
    const before = this.#nodes.get(nodeId);
    const status = data.status as NodeRun['status'];
    const changed: NodeRun = {
      status,
      succeeded: (before?.succeeded ?? 0) + (status === 'success' ? 1 : 0),
      durationMs: typeof data.duration_ms === 'number' ? data.duration_ms : (before?.durationMs ?? null),
      error: typeof data.error === 'string' ? data.error : null,
    };
    this.#nodes = new Map(this.#nodes).set(nodeId, changed);
    this.#publish();
  }

  #runChanged(type: string, { error }: LiveMessage['data']): void {
    const status = runStatuses[type];
    if (status === undefined || this.#run === null) return;
    this.#run = { ...this.#run, status, error: typeof error === 'string' ? error : null };
    this.#publish();
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

const runStatuses: Readonly<Record<string, WatchedRun['status']>> = {
  execution_completed: 'completed',
  execution_failed: 'failed',
  execution_interrupted: 'interrupted',
  execution_cancelled: 'cancelled',
};
