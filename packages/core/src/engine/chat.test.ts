import { describe, expect, test } from 'vitest';
import { storedChatText } from './chat.ts';

describe('the answer that the chat history stores', () => {
  test.each([
    ['text', 'Hello', 'Hello'],
    ['null', null, ''],
    ['a value', { a: [1, 'x'] }, '{"a":[1,"x"]}'],
  ])('is %s as it is, or as JSON', (_what, output, text) => {
    expect(storedChatText(output)).toBe(text);
  });

  test('is the beginning of a long one', () => {
    expect(storedChatText('x'.repeat(40_000))).toBe(`${'x'.repeat(32_768)}…`);
    expect(storedChatText(Array.from({ length: 40_000 }, () => 1))).toBe(`[${'1,'.repeat(16_383)}1…`);
  });

  test('of a large value is written only as far as it is stored', () => {
    let read = 0;
    const item = {
      get text() {
        read += 1;
        return 'x'.repeat(200_000);
      },
    };
    storedChatText(Array.from({ length: 1000 }, () => item));
    expect(read).toBeLessThan(10);
  });
});
