import type { ExecutionLog } from '../../api/executions.ts';
import type { RunningAttempt } from '../../state/use-live-execution.ts';

/** A node in a frame, with its attempts. */
export interface StepNode {
  readonly kind: 'step';
  readonly key: string;
  readonly nodeId: string;
  readonly frame: string;
  /** In their order; empty for a loop or a step that has only begun. */
  readonly attempts: readonly ExecutionLog[];
  readonly running: RunningAttempt | null;
  /** The iterations of a loop. */
  readonly iterations: readonly IterationNode[];
}

/** An iteration of a loop. */
export interface IterationNode {
  readonly kind: 'iteration';
  readonly key: string;
  readonly frame: string;
  /** Counts from 0. */
  readonly index: number;
  readonly steps: readonly StepNode[];
}

/** The steps of an execution: those of the workflow, and in its loops those of each iteration. */
export function stepTree(logs: readonly ExecutionLog[], running: readonly RunningAttempt[] = []): readonly StepNode[] {
  const builder = new TreeBuilder();
  for (const log of [...logs].sort(inOrder)) builder.step(log.frame, log.node_id).attempts.push(log);
  for (const attempt of running) {
    const step = builder.step(attempt.frame, attempt.node_id);
    const hasEnded = step.attempts.some((log) => log.attempt >= attempt.attempt);
    if (!hasEnded) step.running = attempt;
  }
  return builder.finish();
}

/** The key of a step in its tree, and in the state of the page. */
export function stepKey(frame: string, nodeId: string): string {
  return `${frame} ${nodeId}`;
}

interface MutableStep extends StepNode {
  readonly attempts: ExecutionLog[];
  running: RunningAttempt | null;
  readonly iterations: MutableIteration[];
}

interface MutableIteration extends IterationNode {
  readonly steps: MutableStep[];
}

class TreeBuilder {
  readonly root: { readonly steps: MutableStep[] } = { steps: [] };
  readonly #steps = new Map<string, MutableStep>();
  readonly #frames = new Map<string, { readonly steps: MutableStep[] }>([['', this.root]]);

  step(frame: string, nodeId: string): MutableStep {
    const key = stepKey(frame, nodeId);
    const known = this.#steps.get(key);
    if (known !== undefined) return known;
    const step: MutableStep = { kind: 'step', key, nodeId, frame, attempts: [], running: null, iterations: [] };
    this.#steps.set(key, step);
    this.#frame(frame).steps.push(step);
    return step;
  }

  /** Iterations that run at the same time begin in any order; people look for them by their number. */
  finish(): readonly StepNode[] {
    for (const { iterations } of this.#steps.values()) iterations.sort((a, b) => a.index - b.index);
    return this.root.steps;
  }

  #frame(frame: string): { readonly steps: MutableStep[] } {
    const known = this.#frames.get(frame);
    if (known !== undefined) return known;
    const { outer, loop, index } = frameParts(frame);
    const iteration: MutableIteration = { kind: 'iteration', key: frame, frame, index, steps: [] };
    this.#frames.set(frame, iteration);
    this.step(outer, loop).iterations.push(iteration);
    return iteration;
  }
}

/** `orders[2]/lines[0]` is iteration 0 of the loop `lines` in the frame `orders[2]`. */
export function frameParts(frame: string): { readonly outer: string; readonly loop: string; readonly index: number } {
  const [, outer = '', loop = '', index = '0'] = /^(?:(.*)\/)?([^/]*)\[(\d+)\]$/.exec(frame) ?? [];
  // A loop that is repeated has the number of its attempt: `orders#2[0]`.
  return { outer, loop: loop.replace(/#\d+$/, ''), index: Number(index) };
}

function inOrder(a: ExecutionLog, b: ExecutionLog): number {
  return startOf(a).localeCompare(startOf(b)) || a.id - b.id;
}

/** API timestamps have one format, so that texts have the order of the times. */
function startOf(log: ExecutionLog): string {
  return log.queued_at ?? log.started_at ?? log.timestamp;
}
