import { describe, expect, it } from 'vitest';
import { perform } from './step.testkit.ts';
import { triggerChatBot } from './trigger-chat-bot.ts';

describe('the trigger of a bot', () => {
  it('outputs the message', async () => {
    const payload = { text: 'Hi', chat_id: '-5', user_id: '42', files: [{ file_id: 'a' }], name: 'Ann' };
    const { outputs } = await perform(triggerChatBot, { input: { payload, text: 'Hi' } });
    expect(outputs).toEqual({ text: 'Hi', chat_id: '-5', user_id: '42', files: [{ file_id: 'a' }], payload });
  });

  it('has an output for every part that a run by hand lacks', async () => {
    const { outputs } = await perform(triggerChatBot, { input: { payload: { files: 'none' }, text: '' } });
    expect(outputs).toMatchObject({ text: '', chat_id: '', user_id: '', files: [] });
  });

  it.each([
    [{ command: '/start' }, true],
    [{ command: 'start now' }, false],
    [{ command: 'x'.repeat(33) }, false],
    [{ chat_types: [] }, false],
    [{ chat_types: ['private', 'channel'] }, true],
    [{ chat_types: ['secret'] }, false],
    [{ pattern: '' }, false],
    [{ reply: false }, true],
  ])('has a config such as %j: %s', (config, is) => {
    expect(triggerChatBot.config.safeParse(config).success).toBe(is);
  });
});
