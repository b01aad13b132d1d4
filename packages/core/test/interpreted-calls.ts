import { isObject, type Json, type JsonObject } from '../src/json.ts';
import type { BlockNode, PlannedCalls, PlannedOutcome } from './random-world.ts';
import { stepValue } from './step-value.ts';

/** What the calls of a step need of the interpreter. */
export interface Calling {
  readonly configOf: (nodeId: string) => JsonObject;
  readonly outcomeOf: (tool: BlockNode, frame: string) => PlannedOutcome;
  readonly callsOf: (node: BlockNode, name: string) => PlannedCalls;
  readonly end: (frame: string, nodeId: string, end: { end: 'succeeded' | 'failed'; attempts: number }) => void;
  /** Begins a round; the returned function says that its steps need not have ended. */
  readonly begin: () => () => void;
}

interface CallingAttempt {
  /** The beginning of the names of its frames. */
  readonly name: string;
  readonly loop: JsonObject | null;
}

/** The results of the calls of an attempt, round by round; null if one failed and that ends the attempt. */
export function interpretCalls(node: BlockNode, { name, loop }: CallingAttempt, around: Calling): Json[] | null {
  const { rounds, concurrency } = around.callsOf(node, name);
  const values: Json[] = [];
  for (const round of rounds) {
    const makePossible = around.begin();
    let hasFailed = false;
    for (const { tool } of round) {
      const value = resultOf(tool, { name: `${name}[${values.length}]`, loop }, around);
      values.push(value);
      hasFailed ||= value === null;
      // One after the other: calls after the first failure are not made.
      if (hasFailed && concurrency === 1) break;
    }
    if (!hasFailed) continue;
    makePossible();
    return null;
  }
  return values;
}

/** A failed call is a result like others, unless it stops the calling node: then null. */
function resultOf(tool: BlockNode, { name: frame, loop }: CallingAttempt, around: Calling): Json {
  const { retry, on_error } = around.configOf(tool.nodeId);
  const { failures } = around.outcomeOf(tool, frame);
  const most = isObject(retry) ? Number(retry.max_attempts) : 1;
  const isFailed = failures >= most;
  around.end(frame, tool.nodeId, { end: isFailed ? 'failed' : 'succeeded', attempts: isFailed ? most : failures + 1 });
  if (!isFailed) return stepValue(tool, null, loop);
  return on_error === 'stop' ? null : { error_code: 'any' };
}
