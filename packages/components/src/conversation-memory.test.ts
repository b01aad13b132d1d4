import { expect, it } from 'vitest';
import { conversationMemory } from './conversation-memory.ts';

it('outputs a memory and is never a step', () => {
  expect(conversationMemory.outputs).toMatchObject([{ name: 'memory', dataType: 'memory' }]);
  expect(conversationMemory.run).toBeUndefined();
});

it.each([
  [{}, true],
  [{ turns: 10, token_window: 4000, summarize: false }, true],
  [{ turns: 1000, token_window: 1_000_000 }, true],
  [{ turns: 0 }, false],
  [{ turns: 1001 }, false],
  [{ token_window: 1.5 }, false],
  [{ token_window: 1_000_001 }, false],
  [{ summarize: 'yes' }, false],
])('%j is a valid config: %s', (config, isOne) => {
  expect(conversationMemory.config.safeParse(config).success).toBe(isOne);
});
