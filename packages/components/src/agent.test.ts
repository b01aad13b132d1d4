import type { Connected, Conversation, ConversationPort, JsonObject, ModelAnswer, ModelPort } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agent } from './agent.ts';
import { type Attempt, perform } from './step.testkit.ts';

type Prompt = Parameters<ModelPort['ask']>[0];

const answered: ModelAnswer = { text: 'Fine.', stop: 'end', inputTokens: 1, outputTokens: 1 };
const parser = (config: JsonObject): Connected => ({ nodeId: 'reads', type: 'output_parser', config });

interface Question extends Omit<Attempt, 'model'> {
  readonly answer?: Partial<ModelAnswer>;
}

/** The model's prompt and the result of the step. */
async function ask({ answer, ...attempt }: Question, component: Parameters<typeof perform>[0] = agent) {
  const asked: Prompt[] = [];
  const model = async (prompt: Prompt) => {
    asked.push(prompt);
    return { ...answered, ...answer };
  };
  const result = await perform(component, { input: 'How are you?', ...attempt, model });
  const [prompt] = asked;
  if (prompt === undefined || asked.length > 1) throw new Error('it asked not once');
  return { prompt, ...result };
}

describe('the user message', () => {
  it.each([
    ['a text', 'Hello', 'Hello'],
    ['a number', 7, '7'],
    ['an object, as JSON', { a: ['b'] }, '{"a":["b"]}'],
  ])('is the input: %s', async (_what, input, content) => {
    expect((await ask({ input })).prompt).toEqual({ system: '', messages: [{ role: 'user', content }] });
  });

  it('is the evaluated input of the config, if it has one', async () => {
    const config = { input: 'Say {{ trigger.payload.word }}' };
    const names = { trigger: { payload: { word: 'hello' } } };
    expect((await ask({ config, names })).prompt.messages).toEqual([{ role: 'user', content: 'Say hello' }]);
  });

  it('is the prompt of the config in stored versions that still use this key', async () => {
    // A stored config is not checked against the current schema when the step runs.
    const stored = { ...agent, config: z.looseObject({}) };
    const { prompt } = await ask({ config: { prompt: 'Say hello' } }, stored);
    expect(prompt.messages).toEqual([{ role: 'user', content: 'Say hello' }]);
  });

  it('comes after the system prompt', async () => {
    const { prompt, outputs } = await ask({ systemPrompt: 'Be brief.' });
    expect(prompt.system).toBe('Be brief.');
    expect(outputs.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'How are you?' },
      { role: 'assistant', content: 'Fine.' },
    ]);
  });

  it.each([null, '', ' \n'])('fails the step when the input is %j', async (input) => {
    await expect(perform(agent, { input })).rejects.toMatchObject({ code: 'input' });
  });

  it('is the JSON of any other value, from the config as from an edge', async () => {
    const asked: string[] = [];
    const model = async ({ messages }: Prompt) => {
      asked.push(messages.at(-1)?.content ?? '');
      return { text: 'Yes.', stop: 'end', inputTokens: 0, outputTokens: 0 } as const;
    };
    await perform(agent, { config: { input: '{{ trigger.list }}' }, names: { trigger: { list: [1] } }, model });
    await perform(agent, { input: [1], model });
    expect(asked).toEqual(['[1]', '[1]']);
  });
});

describe('the earlier turns', () => {
  const memory = (config: JsonObject): Connected => ({ nodeId: 'past', type: 'conversation_memory', config });
  const earlierTurn = { executionId: 'e1', text: 'My name is Ada.', answer: 'Hello Ada.', size: 25 };
  const hello = {
    connected: { memory: [memory({})] },
    conversation: remembers({ summary: null, turns: [earlierTurn] }),
  };

  function remembers(conversation: Conversation, asked: object[] = []): Pick<ConversationPort, 'before'> {
    return {
      async before(window) {
        asked.push(window);
        return conversation;
      },
    };
  }

  it('come before the user message', async () => {
    const { prompt } = await ask(hello);
    expect(prompt.messages).toEqual([
      { role: 'user', content: 'My name is Ada.' },
      { role: 'assistant', content: 'Hello Ada.' },
      { role: 'user', content: 'How are you?' },
    ]);
  });

  it('are counted in the log and not repeated in the output', async () => {
    const { outputs, metadata } = await ask(hello);
    expect(metadata).toEqual({ stop: 'end', remembered_turns: 1 });
    expect(outputs.messages).toEqual([
      { role: 'user', content: 'How are you?' },
      { role: 'assistant', content: 'Fine.' },
    ]);
  });

  it('come from the memory that was connected last', async () => {
    const asked: object[] = [];
    const connected = { memory: [memory({ turns: 9 }), memory({ turns: 3, token_window: 100 })] };
    const { prompt } = await ask({ connected, conversation: remembers({ summary: null, turns: [] }, asked) });
    expect(asked).toEqual([{ turns: 3, bytes: 400, memory: null }]);
    expect(prompt.messages).toEqual([{ role: 'user', content: 'How are you?' }]);
  });

  it('may be a summary, which the log mentions', async () => {
    const connected = { memory: [memory({ summarize: true })] };
    const { prompt, metadata } = await ask({
      connected,
      conversation: remembers({ summary: 'Ada.', turns: [earlierTurn] }),
    });
    expect(prompt.messages[0]).toEqual({ role: 'user', content: 'Summary of our earlier conversation:\nAda.' });
    expect(metadata).toEqual({ stop: 'end', remembered_turns: 1, remembered_summary: true });
  });

  it('are not read without a memory', async () => {
    expect((await ask({})).prompt.messages).toHaveLength(1);
  });
});

describe('the answer', () => {
  it('is output as text, with the conversation', async () => {
    const { outputs, metadata } = await ask({});
    expect(outputs).toMatchObject({
      output: 'Fine.',
      messages: [
        { role: 'user', content: 'How are you?' },
        { role: 'assistant', content: 'Fine.' },
      ],
      usage: { calls: 0, input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: 0 },
    });
    expect(metadata).toEqual({ stop: 'end' });
  });

  it('may be cut off, which the log mentions', async () => {
    expect((await ask({ answer: { stop: 'length' } })).metadata).toEqual({ stop: 'length' });
  });

  it('fails the step if the model declines', async () => {
    await expect(ask({ answer: { stop: 'refusal', text: '' } })).rejects.toMatchObject({ code: 'model_refused' });
  });

  it('becomes the value of the output parser, whose instruction the model received', async () => {
    const connected = { output_parser: [parser({ schema: { type: 'object' } })] };
    const { prompt, outputs } = await ask({ connected, systemPrompt: 'Be brief.', answer: { text: '{"a": 1}' } });
    expect(outputs.output).toEqual({ a: 1 });
    expect(prompt.system).toMatch(/^Be brief\.\n\nAnswer with JSON only.*{"type":"object"}$/);
  });

  it('fails the step when the output parser cannot read it', async () => {
    const connected = { output_parser: [parser({})] };
    await expect(ask({ connected })).rejects.toMatchObject({
      code: 'model_output',
      retryable: true,
      metadata: { stop: 'end', answer: 'Fine.' },
    });
  });

  it('is stored in the log, up to a maximum length, when the output parser cannot read it', async () => {
    const connected = { output_parser: [parser({})] };
    const text = `${'x'.repeat(4095)}😀y`;
    const failed = ask({ connected, answer: { text, stop: 'length' } });
    await expect(failed).rejects.toMatchObject({
      metadata: { stop: 'length', answer: `${'x'.repeat(4095)}\ufffd` },
    });
  });

  it('is not read as a list when it was cut off', async () => {
    const connected = { output_parser: [parser({ parser: 'list' })] };
    await expect(ask({ connected, answer: { text: '- a\n- b', stop: 'length' } })).rejects.toMatchObject({
      code: 'model_output',
      retryable: true,
      message: expect.stringContaining("Raise 'max_tokens'"),
      metadata: { stop: 'length', answer: '- a\n- b' },
    });
  });

  it('is read by the parser that was connected last', async () => {
    const connected = { output_parser: [parser({}), parser({ parser: 'list' })] };
    expect((await ask({ connected, answer: { text: 'a\nb' } })).outputs.output).toEqual(['a', 'b']);
  });
});
