import type { NodeRun, WatchedRun } from '../state/run-overlay.ts';
import { durationText } from '../ui/time.ts';

/** A node that runs perform. */
export interface RunNode {
  readonly id: string;
  readonly label: string;
}

/** The watched run, as the overlay of the canvas has it. */
export interface RunState {
  readonly run: WatchedRun | null;
  readonly node: (nodeId: string) => NodeRun | undefined;
}

/** Something to say about a run: failures interrupt, everything else waits. */
export interface RunNews {
  readonly text: string;
  readonly urgency: 'polite' | 'assertive';
}

const ends: Readonly<Record<string, string>> = {
  completed: 'succeeded',
  failed: 'failed',
  interrupted: 'waits for a person',
  cancelled: 'was cancelled',
};

const verbs: Readonly<Record<string, string>> = { success: 'succeeded', failed: 'failed', skipped: 'was skipped' };

/** Follows a run and says what has happened since it was asked last. */
export class RunProgress {
  #id: string | null = null;
  #ended = new Set<string>();
  #hasEnded = false;

  /** The news; null if there are none. The last node that ended stands for those before it. */
  news({ run, node }: RunState, nodes: readonly RunNode[]): RunNews | null {
    if (run === null) return null;
    if (run.id !== this.#id) this.#begin(run.id);
    const name = `Run ${run.id.slice(-6)}`;
    const ended = nodes.filter(({ id }) => verbs[node(id)?.status ?? ''] !== undefined);
    const fresh = ended.filter(({ id }) => !this.#ended.has(id));
    for (const { id } of fresh) this.#ended.add(id);
    if (run.status !== 'running') return this.#end(name, run, nodes);
    const failed = fresh.find(({ id }) => node(id)?.status === 'failed');
    const last = failed ?? fresh.at(-1);
    if (last === undefined) return null;
    const { status = 'success', durationMs = null, error = null } = node(last.id) ?? {};
    const duration = status === 'success' && durationMs !== null ? ` ${durationText(durationMs)}` : '';
    const reason = failed !== undefined && error !== null ? `: ${error}` : '';
    const text = `${name}: ${last.label} ${verbs[status]}${duration} (${ended.length} of ${nodes.length})${reason}`;
    return { text, urgency: failed === undefined ? 'polite' : 'assertive' };
  }

  #begin(id: string): void {
    this.#id = id;
    this.#ended = new Set();
    this.#hasEnded = false;
  }

  #end(name: string, { status, error, errorNodeId }: WatchedRun, nodes: readonly RunNode[]): RunNews | null {
    if (this.#hasEnded) return null;
    this.#hasEnded = true;
    const failed = nodes.find(({ id }) => id === errorNodeId)?.label;
    const reason = [failed, error].filter((part) => part != null).join(': ');
    const text = `${name} ${ends[status] ?? status}${reason === '' ? '' : `: ${reason}`}`;
    return { text, urgency: status === 'failed' ? 'assertive' : 'polite' };
  }
}
