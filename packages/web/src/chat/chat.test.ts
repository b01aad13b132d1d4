import { describe, expect, test } from 'vitest';
import type { ChatTurn } from '../api/chats.ts';
import { completeSentences, type StreamedTexts, withPart } from '../state/streamed-texts.ts';
import { conversationsIn, isUnlisted, turnsOf } from './conversations.ts';

const part = (text: string, offset: number, fields = {}) => {
  return {
    executionId: 'a',
    nodeId: 'answer',
    frame: '',
    attempt: 1,
    call: null as number | null,
    offset,
    text,
    ...fields,
  };
};
const textAfter = (...parts: ReturnType<typeof part>[]) =>
  parts.reduce<StreamedTexts>(withPart, new Map()).get('a')?.text;

describe('a streamed answer', () => {
  test('is put together from its parts', () => {
    expect(textAfter(part('Hello ', 0), part('world', 6))).toBe('Hello world');
    expect(textAfter(part('Hello ', 0), part('Hello ', 0))).toBe('Hello ');
  });

  test('begins again with another call of the model', () => {
    expect(textAfter(part('I look it up. ', 0, { call: 0 }), part('It is sent.', 0, { call: 2 }))).toBe('It is sent.');
  });

  test('shows where parts were lost', () => {
    expect(textAfter(part('Hello ', 0), part('you', 20))).toBe('Hello …you');
    expect(textAfter(part('later', 8))).toBe('…later');
  });

  test('begins again with another attempt and another step', () => {
    expect(textAfter(part('Hello ', 0), part('Hi', 0, { attempt: 2 }))).toBe('Hi');
    expect(textAfter(part('Hello ', 0), part('Next', 0, { nodeId: 'second' }))).toBe('Next');
  });

  test('is announced by whole sentences', () => {
    expect(completeSentences('One. Two is not')).toBe('One.');
    expect(completeSentences('Not yet')).toBe('');
  });
});

describe('the conversations', () => {
  const turn = (execution_id: string, session_id: string, text: string, at: number) =>
    ({ execution_id, session_id, text, asked_at: String(at), status: 'completed' }) as ChatTurn;
  const turns = [turn('3', 'b', 'Later', 3), turn('2', 'a', 'Second', 2), turn('1', 'a', 'First', 1)];

  test('are listed with their first message and their last time', () => {
    expect(conversationsIn(turns)).toEqual([
      { sessionId: 'b', title: 'Later', lastAt: '3' },
      { sessionId: 'a', title: 'First', lastAt: '2' },
    ]);
    expect(turnsOf(turns, 'a').map(({ text }) => text)).toEqual(['First', 'Second']);
  });

  test('show a sent message until the history contains it', () => {
    const sent = { sessionId: 'a', text: 'Second', earlier: 0, error: null };
    expect(isUnlisted(sent, turns)).toBe(false);
    expect(isUnlisted(sent, turns.slice(2))).toBe(true);
    expect(isUnlisted({ ...sent, earlier: 1 }, turns)).toBe(true);
  });
});
