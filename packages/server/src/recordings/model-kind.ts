import type { RecordedAnswer } from '@millrace/contract';
import type { ModelAnswer, ModelRequest, ToolCall } from '@millrace/core';
import { shown } from './difference.ts';
import type { Kind, Writer } from './kind.ts';
import { Matching } from './matching.ts';

/** Calls of models. */
export const modelKind: Kind<RecordedAnswer, ModelRequest, ModelAnswer> = {
  key: 'models',
  failure: 'model_unavailable',
  nameOf: ({ node }, index) => `models[${index}]${node === undefined ? '' : ` (${node})`}`,
  fitting({ askedBy, messages }, meter) {
    const question = messages.at(-1)?.content ?? '';
    const history = messages.slice(0, -1).map(({ content }) => content);
    const matching = new Matching(meter);
    return function* ({ node, input, history: earlier }) {
      if ((node ?? askedBy) !== askedBy) return false;
      if (input !== undefined && !(yield* matching.of(input, question))) return false;
      return earlier === undefined || (yield* matching.of(earlier, history));
    };
  },
  answerOf({ answer = '', calls, raw, stop = 'end', ...usage }) {
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
    const { input_tokens: inputTokens = 0, output_tokens: outputTokens = 0, cached_input_tokens: cached } = usage;
    return {
      text,
      stop: calls !== undefined && stop === 'end' ? 'calls' : stop,
      ...(calls !== undefined && { calls: calledTools(calls) }),
      ...(raw !== undefined && { raw }),
      inputTokens,
      outputTokens,
      ...(cached !== undefined && { cachedInputTokens: cached }),
    };
  },
  wordsOf: ({ askedBy, messages }) =>
    `the model request of node '${askedBy}': ${shown(messages.at(-1)?.content ?? '')}`,
};

function calledTools(calls: NonNullable<RecordedAnswer['calls']>): readonly ToolCall[] {
  return calls.map(({ id, tool, arguments: args = {}, problem }, index) => ({
    id: id ?? `call_${index + 1}`,
    tool,
    arguments: args,
    ...(problem !== undefined && { problem }),
  }));
}

export const modelWriter: Writer<RecordedAnswer, ModelRequest, ModelAnswer> = {
  key: 'models',
  askedIn: ({ askedBy, messages }) => ({ node: askedBy, input: messages.at(-1)?.content ?? '' }),
  entryOf(request, { text, stop, calls, raw, inputTokens, outputTokens, cachedInputTokens: cached = 0 }) {
    return {
      ...modelWriter.askedIn(request),
      ...((text !== '' || calls === undefined) && { answer: text }),
      ...(calls !== undefined && { calls: calls.map((call) => ({ ...call })) }),
      ...(raw !== undefined && { raw: { ...raw } }),
      ...(stop !== 'end' && stop !== 'calls' && { stop }),
      ...(inputTokens > 0 && { input_tokens: inputTokens }),
      ...(cached > 0 && { cached_input_tokens: cached }),
      ...(outputTokens > 0 && { output_tokens: outputTokens }),
    };
  },
};
