import {
  type Call,
  type CallFailure,
  type CallsRequest,
  changesOutside,
  type EndedCall,
  type JsonObject,
  listed,
  type MadeCalls,
  type ModelCall,
  type ModelPrompt,
  type ModelTools,
  type StepCall,
  StepError,
  type StepResult,
  type Tool,
  type ToolCall,
  toolCallsIn,
} from '@millrace/core';
import { memoryMetadata } from '../question/memory.ts';
import { conversationOf, isModelCall, shownMessages, type Turn, textIn, toolOfCall, turnsOf } from './agent-turns.ts';
import { type Brief, readBrief } from './brief.ts';
import { spentLimit, totalUsage } from './limits.ts';
import { parsedAnswer } from './parsed-answer.ts';

/** The call of the model that the agent decides on next. */
function modelCall({ model }: Brief, isLast = false): StepCall {
  // A repeated request costs tokens again, but changes nothing outside.
  return { to: model, effect: 'idempotent', ...(isLast && { isLast }) };
}

/** The first call of an answer. */
export function firstCalls(brief: Brief, stored: JsonObject): CallsRequest {
  return { calls: [modelCall(brief)], brief: stored };
}

/** What the model is sent: the memory, the question, and the calls and results so far. */
export function agentPrompt({ call, brief: stored, calls, before }: ModelCall): ModelPrompt {
  const brief = readBrief(stored);
  const isFirst = calls.length === 0;
  return {
    system: brief.system,
    messages: [...(before?.messages ?? []), ...conversationOf(brief, calls)],
    tools: toolsFor(brief, { isFirst, isLast: call.isLast === true }),
    metadata: memoryMetadata(before),
  };
}

function toolsFor(
  brief: Brief,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): ModelTools {
  const list = brief.tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  return { list, choice: isLast ? 'none' : isFirst ? choiceOf(brief) : 'auto', isParallel: brief.parallel > 1 };
}

function choiceOf({ toolChoice }: Brief): ModelTools['choice'] {
  return toolChoice === 'auto' || toolChoice === 'required' || toolChoice === 'none'
    ? toolChoice
    : { name: toolChoice };
}

/** What follows from an agent's calls: calls of tools, a call of the model with their results, or the answer. */
export function nextOf({ brief: stored, calls, ctx }: MadeCalls): CallsRequest | Promise<StepResult> {
  const brief = readBrief(stored);
  const last = calls.findLast(isModelCall);
  if (last === undefined) throw new Error('an agent continued without a call of its model');
  if ('failure' in last.ended) throw failureOf(last.call, last.ended.failure);
  const turn = turnsOf(calls).at(-1);
  if (turn === undefined) throw new Error('a call of a model has no answer');
  const isLast = !('rejected' in last.call) && last.call.isLast === true;
  const wanted = isLast ? [] : toolCallsIn(turn.answer);
  if (turn.toolCalls.length > 0) return limited(brief, calls) ?? { calls: [modelCall(brief)] };
  if (wanted.length === 0) return answered(brief, { calls, turn, ctx });
  const over = limited(brief, calls, wanted.length);
  if (over !== null) return over;
  return { calls: wanted.map((call) => decided(brief, { call, calls, ctx })), concurrency: brief.parallel };
}

function failureOf(call: Call, { code, message }: CallFailure): StepError {
  const isDenied = 'to' in call && call.grants === true && code === 'tool_declined';
  return isDenied
    ? new StepError('agent_limit', `${call.asks?.question ?? ''} ${message}`)
    : new StepError(code, message);
}

/** What follows if a limit is reached: the last call of the model, or one that a person allows; null if none is reached. */
function limited(brief: Brief, calls: readonly EndedCall[], wanted = 0): CallsRequest | null {
  const limit = spentLimit(brief, calls, wanted);
  if (limit === null) return null;
  if (brief.onLimit === 'fail') throw new StepError('agent_limit', limit);
  // The model must see a result for each call that it asked for.
  const turn = turnsOf(calls).at(-1);
  const open = turn === undefined || turn.toolCalls.length > 0 ? [] : toolCallsIn(turn.answer);
  const asks = brief.onLimit === 'ask';
  const message = asks ? `${limit} A person is asked for more: then call the tool again if you need it.` : limit;
  const unmade = open.map(({ id, tool }): Call => ({ id, tool, rejected: { code: 'agent_limit', message } }));
  return { calls: [...unmade, asks ? grantedCall(brief, limit) : modelCall(brief, true)], concurrency: 1 };
}

/** A call of the model after a person has allowed the same amount again. */
function grantedCall(brief: Brief, limit: string): StepCall {
  const question = `${limit} May it use the same amount again?`;
  return { ...modelCall(brief), asks: { seconds: brief.approveSeconds, question }, grants: true };
}

interface Wanted {
  readonly call: ToolCall;
  readonly calls: readonly EndedCall[];
  readonly ctx: MadeCalls['ctx'];
}

/** A call of a tool is made if the agent has the tool and the arguments are valid. */
function decided(brief: Brief, { call, calls, ctx }: Wanted): Call {
  const { id, tool: name, arguments: args, problem } = call;
  const tool = brief.tools.find((one) => one.name === name);
  if (tool === undefined) {
    const names = listed(
      brief.tools.map((one) => one.name),
      '',
    );
    return { id, tool: name, rejected: { code: 'tool_unknown', message: `There is no tool '${name}'. ${names}` } };
  }
  const issue = problem ?? ctx.schemaIssue(tool.parameters, args);
  if (issue !== null)
    return { id, tool: name, rejected: { code: 'tool_arguments', message: `The arguments are invalid: ${issue}` } };
  const asks = isAsked(brief, tool, calls) ? { asks: { seconds: brief.approveSeconds } } : {};
  const target = tool.target === undefined ? {} : { target: tool.target };
  return { to: tool.to, tool: name, id, ...target, effect: tool.effect, ...asks };
}

function isAsked(brief: Brief, tool: Tool, calls: readonly EndedCall[]): boolean {
  if (tool.asks || brief.approve.includes('*') || brief.approve.includes(tool.name)) return true;
  const acts = changesOutside(tool.effect) || tool.acts === true;
  return acts && brief.isGuarded && calls.some((made) => isUntrusted(brief, made));
}

/** Whether people outside wrote the result of a call. An error can repeat what a server answered. */
function isUntrusted(brief: Brief, { call, ended }: EndedCall): boolean {
  if ('rejected' in call || ('failure' in ended && ended.failure.code === 'tool_declined')) return false;
  return toolOfCall(brief, call)?.isUntrusted === true;
}

interface Answer {
  readonly calls: readonly EndedCall[];
  readonly turn: Turn;
  readonly ctx: MadeCalls['ctx'];
}

async function answered(brief: Brief, { calls, turn, ctx }: Answer): Promise<StepResult> {
  const { answer } = turn;
  const [text, stop] = [textIn(answer), String(answer.stop)];
  if (stop === 'refusal')
    throw new StepError('model_refused', 'The model declined to answer. Change the prompt, or use another model.');
  if (text.trim() === '' && stop === 'length') {
    const message = 'The model reached its limit of tokens before it answered. Raise max_tokens.';
    throw new StepError('model_output', message);
  }
  const { usage, modelCalls, toolCalls } = totalUsage(calls);
  return {
    outputs: {
      output: brief.parser === null ? text : await parsedAnswer(brief.parser, { text, stop }, ctx),
      messages: shownMessages(brief, calls),
      usage,
    },
    metadata: { stop, model_calls: modelCalls, tool_calls: toolCalls },
  };
}
