import type { AccessChange, ExecutionStatus, Instant, Published, RunFinished } from '@millrace/core';

/** The changes that saving a graph makes to its workflow's row. */
export interface GraphMove {
  readonly version: number;
  readonly updatedAt: Instant;
  /** The change in the number of nodes and edges. */
  readonly nodes: number;
  readonly edges: number;
}

/** The status of an ended execution. */
export type EndStatus = RunFinished['status'];

/** Executions of a workflow that ended in the same hour with the same status. */
interface Ends {
  readonly workflowId: number;
  readonly status: EndStatus;
  readonly at: Instant;
  readonly n: number;
}

const hourMs = 3_600_000;

function followed(first: GraphMove, then: GraphMove): GraphMove {
  return { ...then, nodes: first.nodes + then.nodes, edges: first.edges + then.edges };
}

/** The consequences of one transaction besides its rows. Subscribers and caches get them only after its commit. */
export class Effects {
  readonly events: Published[] = [];
  readonly cancelRequested: string[] = [];
  /** The number of runs that the transaction has cancelled. */
  ended = 0;
  /** When runs without an owner were asked to stop, which are to end in later transactions; null if there are none. */
  stoppingSince: Instant | null = null;
  /** Running runs that have unread answers. */
  readonly answered: string[] = [];
  /** When the earliest of the stored waits is due. */
  wakeAt: Instant = Number.POSITIVE_INFINITY;
  readonly accessChanges: AccessChange[] = [];
  /** Runs may be claimable. */
  pending = false;
  /** The times of schedules may have changed. */
  schedules = false;
  /** The triggers or the credentials of bots may have changed. */
  bots = false;
  /** Answers for chats of bots are to be sent. */
  botReplies = false;
  /** Workflows whose rows changed, with the change of their graph; null if more than the graph changed. */
  readonly changedWorkflows = new Map<number, GraphMove | null>();
  /** Runs that are no longer running or pending. */
  readonly left: { readonly workflowId: number; readonly id: string }[] = [];
  /** Graph versions stored for the first time: workflow id → version. */
  readonly pinned = new Map<number, number>();
  /** Workflows that were deleted permanently, with all their data. */
  readonly purged: number[] = [];
  /** Workflow id → by how much the number of runs in each status changed. */
  readonly counts = new Map<number, Map<ExecutionStatus, number>>();

  /** Executions that ended, in groups. */
  readonly ends = new Map<string, Ends>();

  publish(workflowId: number, event: Published['event']): void {
    this.events.push({ workflowId, event });
  }

  /** Records that a workflow's row changed. */
  changeWorkflow(id: number, move: GraphMove | null): void {
    const before = this.changedWorkflows.get(id);
    if (before === undefined) this.changedWorkflows.set(id, move);
    else this.changedWorkflows.set(id, before === null || move === null ? null : followed(before, move));
  }

  /** Records that `n` runs of a workflow changed status; null means "does not exist". */
  move(workflowId: number, from: ExecutionStatus | null, to: ExecutionStatus | null, n = 1): void {
    let changes = this.counts.get(workflowId);
    if (changes === undefined) {
      changes = new Map();
      this.counts.set(workflowId, changes);
    }
    if (from !== null) changes.set(from, (changes.get(from) ?? 0) - n);
    if (to !== null) changes.set(to, (changes.get(to) ?? 0) + n);
  }

  /** Records that `n` executions of a workflow ended. */
  end({ workflowId, status, at, n = 1 }: Omit<Ends, 'n'> & Partial<Pick<Ends, 'n'>>): void {
    const group = `${workflowId} ${status} ${Math.floor(at / hourMs)}`;
    this.ends.set(group, { workflowId, status, at, n: (this.ends.get(group)?.n ?? 0) + n });
  }

  /** Adds the contents of another set of effects. */
  add(other: Effects): void {
    for (const event of other.events) this.events.push(event);
    for (const id of other.cancelRequested) this.cancelRequested.push(id);
    this.ended += other.ended;
    this.stoppingSince = other.stoppingSince ?? this.stoppingSince;
    for (const id of other.answered) this.answered.push(id);
    this.wakeAt = Math.min(this.wakeAt, other.wakeAt);
    for (const change of other.accessChanges) this.accessChanges.push(change);
    this.pending ||= other.pending;
    this.schedules ||= other.schedules;
    this.bots ||= other.bots;
    this.botReplies ||= other.botReplies;
    for (const run of other.left) this.left.push(run);
    for (const [id, move] of other.changedWorkflows) this.changeWorkflow(id, move);
    for (const [workflowId, version] of other.pinned) this.pinned.set(workflowId, version);
    for (const id of other.purged) this.purged.push(id);
    for (const [workflowId, changes] of other.counts) {
      for (const [status, n] of changes) this.move(workflowId, null, status, n);
    }
    for (const ends of other.ends.values()) this.end(ends);
  }
}
