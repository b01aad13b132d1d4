import { memorySlot } from '../../component/config-check.ts';
import type { ModelMessage, ModelPrompt } from '../../component/model.ts';
import { endedCalls } from '../../component/tools/calls.ts';
import { modelIn } from '../../graph/sub-components.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { StepState } from '../run-state.ts';

/** What a model was sent in a call, without the turns of the memory: those are stored with the chat. */
export interface SentPrompt {
  readonly model: string;
  readonly prompt: ModelPrompt;
  /** The memory whose turns came before the messages. */
  readonly memory: { readonly nodeId: string; readonly type: string; readonly config: Json } | null;
}

/** What the model is sent by a step that is the call of one; null for any other step. */
export function promptOf(step: StepState): SentPrompt | null {
  const { call } = step.frame;
  const prompt = call === null ? null : promptFrom(step, 0);
  if (call === null || prompt === null) return null;
  const { subs } = call.of.step.node;
  const memory = subs.get(memorySlot)?.at(-1);
  return {
    model: modelIn(subs)?.common.model_name ?? '',
    prompt,
    memory:
      memory === undefined
        ? null
        : { nodeId: memory.nodeId, type: memory.component.type, config: memory.config.source },
  };
}

/**
 * The part of the prompt of such a step that is new since the call of the model before it: at first the question, later
 * the results of the tools. Null for any other step.
 */
export function addedToPrompt({ frame, node }: StepState): JsonObject | null {
  const { call } = frame;
  if (call === null) return null;
  // The messages before the last answer are not built again: a conversation may have hundreds of rounds.
  const last = call.of.all.slice(0, call.index).findLastIndex((made) => made.call.id === undefined);
  const prompt = promptFrom({ frame, node }, Math.max(0, last));
  if (prompt === null) return null;
  const messages = prompt.messages.slice(prompt.messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  const system = last < 0 && prompt.system !== '' ? { system: prompt.system } : {};
  return { ...system, messages: messages.map(shownMessage) };
}

/** The prompt, with only the calls from one on. */
function promptFrom({ frame: { call } }: Pick<StepState, 'frame' | 'node'>, from: number): ModelPrompt | null {
  const made = call?.of.all[call.index]?.call;
  if (call === null || made === undefined || 'rejected' in made || made.id !== undefined) return null;
  const { brief, all, step } = call.of;
  const calls = endedCalls(all.slice(from, call.index));
  return step.node.component.prompt?.({ brief, calls, call: made, before: null }) ?? null;
}

/** A message as outputs and logs show it: without what only its provider reads. */
export function shownMessage(message: ModelMessage): JsonObject {
  const { role, content } = message;
  if (role === 'tool') {
    return { role, tool_call_id: message.id, content, ...(message.isError && { is_error: true }) };
  }
  const calls = role === 'assistant' ? (message.calls ?? []) : [];
  const shown = calls.map(({ id, tool, arguments: args }) => ({ id, name: tool, arguments: args }));
  return { role, content, ...(shown.length > 0 && { tool_calls: shown }) };
}
