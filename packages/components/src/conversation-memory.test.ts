import { expect, it } from 'vitest';
import { conversationMemory } from './conversation-memory.ts';

it('gives a memory, is never a step, and says that it cannot be used yet', () => {
  expect(conversationMemory.outputs).toMatchObject([{ name: 'memory', dataType: 'memory' }]);
  expect(conversationMemory.run).toBeUndefined();
  expect(conversationMemory.description).toContain('Not supported yet');
});

it.each([
  [{ turns: 10, token_window: 4000, summarize: true }, true],
  [{ turns: 0 }, false],
  [{ token_window: 1.5 }, false],
  [{ summarize: 'yes' }, false],
])('%j is a config: %s', (config, isOne) => {
  expect(conversationMemory.config.safeParse(config).success).toBe(isOne);
});
