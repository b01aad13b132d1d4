import type { ErrorCode } from '../../errors.ts';
import { isArray, type JsonObject, own } from '../../json.ts';
import type { ModelUsage } from '../model.ts';
import type { Effect } from './effect.ts';
import { isToolCall, type ToolCall } from './tool-call.ts';

/** A call that a step makes: a step of another node, in a frame of its own. */
export interface StepCall {
  /** The node that is called: the model or a tool of the calling node. */
  readonly to: string;
  /** The name under which the model called the tool. */
  readonly tool?: string;
  /** What of the node is called, if it offers several tools. */
  readonly target?: string;
  /** The id of the model's tool call. Its arguments are in the model's answer before it. */
  readonly id?: string;
  /** How the call may be repeated after a crash, if not as its component's steps. */
  readonly effect?: Effect;
  /** A person is asked before the call. */
  readonly asks?: CallApproval;
  /** A call of the model after which no tool is called. */
  readonly isLast?: boolean;
  /** Whether a yes to the question of `asks` lets the agent use as much again as its limits allow. */
  readonly grants?: boolean;
}

/** How a person is asked before a call. */
export interface CallApproval {
  /** Seconds after which the answer is no; null to wait without a limit. */
  readonly seconds: number | null;
  /** Default: names the tool and its arguments. */
  readonly question?: string;
}

/** A tool call of a model that is not made: it has no step, and the model gets the reason. */
export interface RejectedCall {
  readonly id: string;
  readonly tool: string;
  readonly rejected: CallFailure;
}

/** Why a call has no result. */
export interface CallFailure {
  readonly code: ErrorCode;
  readonly message: string;
}

export type Call = StepCall | RejectedCall;

/** How a call ended. */
export type CallEnd =
  | { readonly outputs: JsonObject; readonly usage?: ModelUsage | undefined; readonly durationMs?: number }
  | { readonly failure: CallFailure; readonly usage?: ModelUsage | undefined; readonly durationMs?: number };

/** A call that has ended. */
export interface EndedCall {
  readonly call: Call;
  readonly ended: CallEnd;
}

/** The tool calls in the outputs of a model call: `{text, calls, stop, raw}`. The journal stores them. */
export function toolCallsIn(outputs: JsonObject): readonly ToolCall[] {
  const calls = own(outputs, 'calls');
  return calls !== undefined && isArray(calls) ? calls.filter(isToolCall) : [];
}

/**
 * The arguments of a call: those in the last answer of the model before it that has a tool call with its id. The output
 * of a tool is no such answer, whatever it contains.
 */
export function argumentsOf(
  calls: readonly { readonly call: Call; readonly ended: CallEnd | null }[],
  index: number,
): JsonObject {
  const id = calls[index]?.call.id;
  if (id === undefined) return {};
  for (const { call, ended } of calls.slice(0, index).reverse()) {
    if (call.id !== undefined || ended === null || !('outputs' in ended)) continue;
    const found = toolCallsIn(ended.outputs).find((call) => call.id === id);
    if (found !== undefined) return found.arguments;
  }
  return {};
}

/** The calls that have ended, up to the first that has not. */
export function endedCalls(
  calls: readonly { readonly call: Call; readonly ended: CallEnd | null }[],
): readonly EndedCall[] {
  const found: EndedCall[] = [];
  for (const { call, ended } of calls) {
    if (ended === null) break;
    found.push({ call, ended });
  }
  return found;
}
