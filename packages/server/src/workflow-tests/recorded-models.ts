import { type ModelAnswer, type ModelRequest, StepError, type ToolCall } from '@millrace/core';
import { isExpected, shown } from './difference.ts';
import { Recordings } from './recordings.ts';
import type { RecordedAnswer } from './test-schema.ts';

/** Answers the model requests of a test's steps from its recordings. */
export class RecordedModels {
  readonly #recordings: Recordings<RecordedAnswer>;

  constructor(answers: readonly RecordedAnswer[]) {
    this.#recordings = new Recordings(answers, ({ node }, index) => `models[${index}]${node ? ` (${node})` : ''}`);
  }

  get failures(): readonly string[] {
    return this.#recordings.failures;
  }

  /** @throws StepError model_unavailable for a request without a recording, and if the recording says so */
  answer({ askedBy, messages }: ModelRequest): ModelAnswer {
    const question = messages.at(-1)?.content ?? '';
    const history = messages.slice(0, -1).map(({ content }) => content);
    const found = this.#recordings.take(
      (one) =>
        (one.node ?? askedBy) === askedBy &&
        isExpected(one.input ?? question, question) &&
        isExpected(one.history ?? history, history),
    );
    if (found === undefined) throw this.#reject(askedBy, question);
    const { answer = '', calls, fails, stop, input_tokens: inputTokens, output_tokens: outputTokens } = found;
    if (fails !== undefined) throw new StepError('model_unavailable', fails, { retryable: true });
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
    const end = calls === undefined ? { stop } : { stop: 'calls' as const, calls: calledTools(calls) };
    return { text, ...end, inputTokens, outputTokens };
  }

  #reject(askedBy: string, question: string): StepError {
    const message = `No recording answers the model request of node '${askedBy}': ${shown(question)}.`;
    this.#recordings.miss(message);
    return new StepError('model_unavailable', message);
  }
}

function calledTools(calls: NonNullable<RecordedAnswer['calls']>): readonly ToolCall[] {
  return calls.map(({ tool, arguments: args }, index) => ({ id: `call_${index + 1}`, tool, arguments: args }));
}
