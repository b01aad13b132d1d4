import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ConversationTurn, conversationWindow, dividedTurns, lastTurns } from './conversation.ts';

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

const sizes = (turns: readonly ConversationTurn[]) => turns.map(({ size }) => size);
const turnsOf = (...given: readonly number[]): readonly ConversationTurn[] =>
  given.map((size, index) => ({ executionId: `e${index}`, text: '', answer: '', size }));

it.each([
  ['as many as there may be', [1, 1, 1], { turns: 2, bytes: 9 }, [1, 1]],
  ['as far as there is room', [4, 3, 2], { turns: 9, bytes: 5 }, [3, 2]],
  ['and nothing before one for which there is none', [1, 9, 2], { turns: 9, bytes: 5 }, [2]],
  ['none, where the last has no room', [1, 9], { turns: 9, bytes: 5 }, []],
])('the last turns are: %s', (_what, given, window, expected) => {
  expect(sizes(lastTurns(turnsOf(...given), window))).toEqual(expected);
});

it.each([
  ['all are kept while there is room', [1, 2, 3, 4], { turns: 4, bytes: 10 }, [], [1, 2, 3, 4]],
  ['half of the turns, once there is one too many', [1, 2, 3, 4, 5], { turns: 4, bytes: 99 }, [1, 2, 3], [4, 5]],
  ['half of the bytes, once there is one too many', [4, 3, 3, 1], { turns: 9, bytes: 10 }, [4, 3], [3, 1]],
  ['the last at least', [2, 8], { turns: 1, bytes: 9 }, [2], [8]],
  ['and no more is older than a summary takes in', [5, 5, 5, 5, 5], { turns: 2, bytes: 10 }, [5, 5], [5]],
])('a memory with summaries divides its turns: %s', (_what, given, window, older, kept) => {
  const divided = dividedTurns(turnsOf(...given), window);
  expect({ older: sizes(divided.older), kept: sizes(divided.kept) }).toEqual({ older, kept });
});

it('the remembered turns are always the last ones, fit the window, and leave room for the next turn', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 2, max: 20 }), { maxLength: 30 }),
      fc.record({ turns: fc.integer({ min: 1, max: 12 }), bytes: fc.integer({ min: 20, max: 60 }) }),
      (given, window) => {
        const { older, kept } = dividedTurns(turnsOf(...given), window);
        expect([...older, ...kept]).toEqual(turnsOf(...given).slice(given.length - older.length - kept.length));
        expect(lastTurns(kept, window)).toEqual(kept);
        expect(lastTurns(older, window)).toEqual(older);
        expect(kept.length > 0 || given.length === 0).toBe(true);
        expect(dividedTurns(kept, window).older).toEqual([]);
      },
    ),
  );
});
