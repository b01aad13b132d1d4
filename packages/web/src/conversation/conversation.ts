import type { ExecutionLog } from '../api/executions.ts';
import type { RunningAttempt } from '../state/use-live-execution.ts';
import { type SentMessage, sentMessages, wantedCalls } from './model-values.ts';

/** The step of an agent. */
export interface AgentPlace {
  readonly nodeId: string;
  readonly frame: string;
}

/** What one attempt of an agent did, in order. */
export interface Conversation {
  /** Of the agent, from 1. */
  readonly attempt: number;
  readonly system: string;
  readonly question: string | null;
  readonly rounds: readonly Round[];
}

/** A call of the model, and the calls of tools that it asked for. */
export interface Round {
  readonly model: ModelStep;
  readonly tools: readonly ToolStep[];
}

export interface CallStep {
  readonly frame: string;
  readonly nodeId: string;
  /** Null before its first attempt has ended or waits. */
  readonly log: ExecutionLog | null;
  /** Since when an attempt is in progress; null if none is. */
  readonly runningSince: number | null;
  readonly attempts: number;
}

export interface ModelStep extends CallStep {
  /** The number in the frame: events name it. */
  readonly index: number;
  readonly text: string;
}

export interface ToolStep {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  /** Null for a call that has not begun, and for one that is not made. */
  readonly step: CallStep | null;
  /** The result as the model read it; null before it did. */
  readonly seen: SentMessage | null;
}

/** The attempts of an agent with tools, the first one first; empty for an agent that made no calls. */
export function conversationsOf(
  place: AgentPlace,
  logs: readonly ExecutionLog[],
  running: readonly RunningAttempt[] = [],
): readonly Conversation[] {
  const attempts = new Map<number, Map<number, OpenCall>>();
  const callAt = (frame: string, nodeId: string): OpenCall | null => {
    const found = callIn(frame, place);
    if (found === null) return null;
    const calls = attempts.get(found.attempt) ?? new Map<number, OpenCall>();
    attempts.set(found.attempt, calls);
    const call = calls.get(found.index) ?? { frame, nodeId, logs: [], runningSince: null };
    calls.set(found.index, call);
    return call;
  };
  for (const log of logs) {
    if (log.metadata.agent === place.nodeId) callAt(log.frame, log.node_id)?.logs.push(log);
  }
  for (const { frame, node_id: nodeId, attempt, since } of running) {
    const call = callAt(frame, nodeId);
    if (call?.logs.every((log) => log.attempt < attempt || log.status === 'waiting')) call.runningSince = since;
  }
  return [...attempts]
    .toSorted(([one], [other]) => one - other)
    .map(([attempt, calls]) => conversationOf(attempt, calls));
}

/** The calls of tools in an execution, by all its agents, in the order in which they were asked for. */
export function toolStepsIn(
  logs: readonly ExecutionLog[],
  running: readonly RunningAttempt[] = [],
): readonly ToolStep[] {
  return agentsIn(logs).flatMap((place) =>
    conversationsOf(place, logs, running).flatMap(({ rounds }) => rounds.flatMap(({ tools }) => tools)),
  );
}

/** The agents that have made calls, in the order of their first. */
export function agentsIn(logs: readonly ExecutionLog[]): readonly AgentPlace[] {
  const agents = new Map<string, AgentPlace>();
  for (const { frame, metadata } of logs) {
    const place = typeof metadata.agent === 'string' ? agentOf(frame, metadata.agent) : null;
    if (place !== null) agents.set(`${place.frame} ${place.nodeId}`, place);
  }
  return [...agents.values()];
}

/** The agent of a call, from the frame of the call: `each[0]/ai[3]` is a call of `ai` in `each[0]`. */
function agentOf(frame: string, nodeId: string): AgentPlace | null {
  const last = frame.lastIndexOf(`/${nodeId}`);
  return callIn(frame, { nodeId, frame: '' }) !== null
    ? { nodeId, frame: '' }
    : last === -1
      ? null
      : { nodeId, frame: frame.slice(0, last) };
}

interface OpenCall {
  readonly frame: string;
  readonly nodeId: string;
  readonly logs: ExecutionLog[];
  runningSince: number | null;
}

/** `ai[3]` is call 3 of the first attempt of the agent `ai`, `ai#2[0]` the first call of its second attempt. */
function callIn(frame: string, place: AgentPlace): { readonly attempt: number; readonly index: number } | null {
  const before = place.frame === '' ? place.nodeId : `${place.frame}/${place.nodeId}`;
  if (!frame.startsWith(before)) return null;
  const [, attempt = '1', index] = /^(?:#(\d+))?\[(\d+)\]$/.exec(frame.slice(before.length)) ?? [];
  return index === undefined ? null : { attempt: Number(attempt), index: Number(index) };
}

function conversationOf(attempt: number, calls: ReadonlyMap<number, OpenCall>): Conversation {
  const first = sentMessages(calls.get(0)?.logs.at(-1)?.input);
  const rounds: Round[] = [];
  for (let index = 0, call = calls.get(index); call !== undefined; call = calls.get(index)) {
    const model = modelStep(index, call);
    const wanted = wantedCalls(model.log?.output) ?? toolsAfter(calls, index);
    // Calls are numbered in the order in which the model asked for them, also those that are not made.
    const next = calls.get(index + 1 + wanted.length);
    const seen = sentMessages(next?.logs.at(-1)?.input).messages;
    const tools = wanted.map((tool, at): ToolStep => {
      const made = calls.get(index + 1 + at);
      return {
        ...tool,
        step: made === undefined ? null : stepOf(made),
        seen: seen.find(({ callId }) => callId === tool.id) ?? null,
      };
    });
    rounds.push({ model, tools });
    index += 1 + wanted.length;
  }
  const question = first.messages.findLast(({ role }) => role === 'user')?.content ?? null;
  return { attempt, system: first.system, question, rounds };
}

/** The calls of tools after a call of the model whose answer is too large to be read with all others. */
function toolsAfter(calls: ReadonlyMap<number, OpenCall>, index: number) {
  const found: { id: string; name: string; arguments: unknown }[] = [];
  for (let call = calls.get(index + 1); call !== undefined; call = calls.get(index + 1 + found.length)) {
    const log = call.logs.at(-1);
    const { tool, call_id: id } = log?.metadata ?? {};
    if (log === undefined || typeof tool !== 'string') break;
    found.push({ id: String(id), name: tool, arguments: log.input });
  }
  return found;
}

function stepOf({ frame, nodeId, logs, runningSince }: OpenCall): CallStep {
  const attempts = logs.length + (runningSince === null ? 0 : 1);
  return { frame, nodeId, log: logs.at(-1) ?? null, runningSince, attempts };
}

function modelStep(index: number, call: OpenCall): ModelStep {
  const step = stepOf(call);
  const text = step.log?.output?.text;
  return { ...step, index, text: typeof text === 'string' ? text : '' };
}

/** What an agent without tools sent and received, from its output; null for a step whose output has no messages. */
export function singleAnswer(log: ExecutionLog): Conversation | null {
  const { node_id: nodeId, frame, attempt, output } = log;
  const { system, messages } = sentMessages(output);
  const answer = messages.findLast(({ role }) => role === 'assistant');
  const question = messages.findLast(({ role }) => role === 'user')?.content ?? null;
  if (answer === undefined) return null;
  const model = { frame, nodeId, log, runningSince: null, attempts: 1, index: 0, text: answer.content };
  return { attempt, system, question, rounds: [{ model, tools: [] }] };
}
