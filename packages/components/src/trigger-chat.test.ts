import { expect, it } from 'vitest';
import { perform } from './step.testkit.ts';
import { triggerChat } from './trigger-chat.ts';

it('outputs the message and its conversation', async () => {
  const payload = { text: 'hello', session_id: 's1' };
  const input = { payload, text: 'hello', session_id: 's1', headers: {}, query: {} };
  expect(await perform(triggerChat, { input })).toEqual({ outputs: { text: 'hello', payload, session_id: 's1' } });
});

it('has no conversation when it is started manually', async () => {
  const input = { payload: {}, text: 'hello', headers: {}, query: {} };
  expect(await perform(triggerChat, { input })).toEqual({ outputs: { text: 'hello', payload: {}, session_id: '' } });
});

it.each([{ timeout: 0 }, { timeout: 601 }, { greeting: 'Hi' }])('rejects the config %j', (config) => {
  expect(triggerChat.config.safeParse(config).success).toBe(false);
});
