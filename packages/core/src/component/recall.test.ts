import { describe, expect, it } from 'vitest';
import { StepError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Conversation, ConversationPort, ConversationSummary, ConversationTurn } from './conversation.ts';
import { type ModelAnswer, type ModelPrompt, noUsage } from './model.ts';
import { recall } from './recall.ts';

/** Turns of ten bytes each, `a: A` and so on. */
const turnsOf = (letters: string): ConversationTurn[] =>
  [...letters].map((text) => ({ executionId: `run ${text}`, text, answer: text.toUpperCase(), size: 10 }));

interface Scene {
  readonly config?: JsonObject;
  readonly conversation?: Partial<Conversation>;
  readonly answer?: () => Partial<ModelAnswer>;
  readonly isFirst?: boolean;
}

/** The result of a memory, the requests it made, and the summaries it stored. */
async function recalled({ config = { turns: 4, summarize: true }, conversation = {}, answer, isFirst = true }: Scene) {
  const asked: Parameters<ConversationPort['before']>[0][] = [];
  const prompts: ModelPrompt[] = [];
  const kept: ConversationSummary[] = [];
  const ports = {
    model: {
      usage: noUsage,
      async ask(prompt: ModelPrompt): Promise<ModelAnswer> {
        prompts.push(prompt);
        return { text: 'In short.', stop: 'end', inputTokens: 1, outputTokens: 1, ...answer?.() };
      },
    },
    conversation: {
      async before(of: Parameters<ConversationPort['before']>[0]) {
        asked.push(of);
        return { summary: null, turns: [], ...conversation };
      },
      keepSummary: async (summary: ConversationSummary) => void kept.push(summary),
    },
  };
  const { messages, ...rest } = await recall(
    { nodeId: 'past', type: 'conversation_memory', config },
    isFirst ? ports : { ...ports, model: null },
  );
  return { ...rest, printed: messages.map(({ role, content }) => `${role} ${content}`), asked, prompts, kept };
}

const printed = (letters: string) =>
  [...letters].flatMap((text) => [`user ${text}`, `assistant ${text.toUpperCase()}`]);
const inShort = (summary: string) => [`user Summary of our earlier conversation:\n${summary}`, 'assistant I remember.'];

describe('a memory', () => {
  it('recalls the turns that fit, and creates no summary unless configured', async () => {
    const { asked, ...found } = await recalled({ config: { turns: 4 }, conversation: { turns: turnsOf('abc') } });
    expect(asked).toEqual([{ turns: 4, bytes: 16_000, memory: null }]);
    expect(found).toEqual({ turns: 3, hasSummary: false, printed: printed('abc'), prompts: [], kept: [] });
  });

  it('recalls nothing from an empty conversation', async () => {
    expect(await recalled({})).toMatchObject({ turns: 0, hasSummary: false, printed: [], prompts: [] });
  });
});

describe('a memory with summaries', () => {
  it('requests the newest summary, and as many turns as fit beside it and in the next one', async () => {
    const { asked } = await recalled({ config: { turns: 3, token_window: 100, summarize: true } });
    expect(asked).toEqual([{ turns: 6, bytes: 800, memory: 'past' }]);
  });

  it('creates none while everything fits', async () => {
    const { printed: words, prompts } = await recalled({
      conversation: { summary: 'Before.', turns: turnsOf('abcd') },
    });
    expect(words).toEqual([...inShort('Before.'), ...printed('abcd')]);
    expect(prompts).toEqual([]);
  });

  it('summarises the older half when the window is full, and stores the summary with its last turn', async () => {
    const {
      printed: words,
      prompts,
      kept,
      turns,
      hasSummary,
    } = await recalled({ conversation: { turns: turnsOf('abcde') } });
    expect(prompts).toMatchObject([
      {
        isAside: true,
        messages: [{ role: 'user', content: expect.stringMatching(/^User:\na\n\nAssistant:\nA\n\n.*C$/s) }],
      },
    ]);
    expect(kept).toEqual([{ memory: 'past', until: 'run c', text: 'In short.' }]);
    expect(words).toEqual([...inShort('In short.'), ...printed('de')]);
    expect({ turns, hasSummary }).toEqual({ turns: 2, hasSummary: true });
  });

  it('creates the next one from the previous one and the turns since', async () => {
    const conversation = { summary: 'Before.', turns: turnsOf('abcde') };
    const { prompts, printed: words } = await recalled({ conversation });
    expect(prompts[0]?.messages[0]?.content).toMatch(/^Summary of the earlier conversation:\nBefore\.\n\nUser:\na\n/);
    expect(words).toEqual([...inShort('In short.'), ...printed('de')]);
  });

  it('omits a turn that is larger than its window', async () => {
    const [first, large, last] = turnsOf('abc');
    if (first === undefined || large === undefined || last === undefined) throw new Error('there are three');
    const turns = [first, { ...large, size: 17_000 }, last];
    expect(await recalled({ conversation: { turns } })).toMatchObject({ printed: printed('ac'), prompts: [] });
  });

  it('truncates a summary that is too long', async () => {
    const answer = () => ({ text: ` ${'x'.repeat(3999)}😀 ` });
    const { kept } = await recalled({ conversation: { turns: turnsOf('abcde') }, answer });
    expect(kept[0]?.text).toBe(`${'x'.repeat(3999)}\ufffd`);
  });

  it.each<[string, () => Partial<ModelAnswer>]>([
    [
      'fails',
      () => {
        throw new StepError('model_unavailable', 'Overloaded.');
      },
    ],
    ['declines', () => ({ text: 'No.', stop: 'refusal' })],
    ['says nothing', () => ({ text: ' \n' })],
  ])('works without one if the model %s, and remembers as many turns as fit', async (_what, answer) => {
    const conversation = { summary: 'Before.', turns: turnsOf('abcde') };
    const { printed: words, kept } = await recalled({ conversation, answer });
    expect(words).toEqual([...inShort('Before.'), ...printed('bcde')]);
    expect(kept).toEqual([]);
  });

  it('requests none after the first call for an answer, and remembers as many turns as fit', async () => {
    const conversation = { turns: turnsOf('abcde') };
    const { printed: words, prompts } = await recalled({ conversation, isFirst: false });
    expect([words, prompts]).toEqual([printed('bcde'), []]);
  });

  it('stops when its step is cancelled', async () => {
    const answer = () => {
      throw new Error('aborted');
    };
    await expect(recalled({ conversation: { turns: turnsOf('abcde') }, answer })).rejects.toThrow('aborted');
  });
});
