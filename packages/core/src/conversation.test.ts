import { expect, it } from 'vitest';
import { conversationMessages, conversationWindow } from './conversation.ts';

it.each([
  [{}, { turns: 10, bytes: 16_000 }],
  [{ turns: 3 }, { turns: 3, bytes: 16_000 }],
  [{ token_window: 100 }, { turns: 10, bytes: 400 }],
  [
    { turns: 3, token_window: 100 },
    { turns: 3, bytes: 400 },
  ],
])('a memory of %j has a window of %j', (config, window) => {
  expect(conversationWindow(config)).toEqual(window);
});

it('turns are told as messages of the user and the model in alternation', () => {
  const turns = [
    { text: 'Hello', answer: 'Hi' },
    { text: 'How are you?', answer: 'Fine.' },
  ];
  expect(conversationMessages(turns)).toEqual([
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi' },
    { role: 'user', content: 'How are you?' },
    { role: 'assistant', content: 'Fine.' },
  ]);
});
