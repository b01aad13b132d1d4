import { describe, expect, it } from 'vitest';
import {
  admits,
  admitsNobody,
  botTriggerSettings,
  incomingMessage,
  isBotMatch,
  updateIdOf,
} from './incoming-message.ts';

const message = {
  message_id: 7,
  date: 1,
  from: { id: 42, first_name: 'Ann', last_name: 'Bo', username: 'ann', language_code: 'de' },
  chat: { id: -100_123, type: 'supergroup' },
};

function read(more: object, botName = 'a_bot') {
  return incomingMessage(JSON.parse(JSON.stringify({ update_id: 5, message: { ...message, ...more } })), botName);
}

describe('an update', () => {
  it('with a message has its text, its chat and its author', () => {
    expect(read({ text: 'Hello', reply_to_message: { message_id: 3 } })).toEqual({
      messageId: 7,
      chatId: '-100123',
      chatType: 'supergroup',
      userId: '42',
      text: 'Hello',
      command: null,
      payload: {
        text: 'Hello',
        chat_id: '-100123',
        chat_type: 'supergroup',
        user_id: '42',
        message_id: 7,
        name: 'Ann Bo',
        username: 'ann',
        language: 'de',
        command: null,
        arguments: '',
        files: [],
        reply_to: 3,
      },
    });
  });

  it('with files has their ids, and their caption as its text', () => {
    const photo = [{ file_id: 'small' }, { file_id: 'large', file_size: 9 }];
    const document = { file_id: 'd', file_name: 'a.pdf', mime_type: 'application/pdf', file_size: 3 };
    expect(read({ caption: 'Look', photo, document })).toMatchObject({
      text: 'Look',
      payload: {
        files: [
          { kind: 'photo', file_id: 'large', name: null, content_type: null, size: 9 },
          { kind: 'document', file_id: 'd', name: 'a.pdf', content_type: 'application/pdf', size: 3 },
        ],
      },
    });
  });

  it('of a channel is written by the channel', () => {
    const channel = { message_id: 1, sender_chat: { id: -9 }, chat: { id: -9, type: 'channel' }, text: 'News' };
    expect(incomingMessage({ channel_post: channel }, 'a_bot')).toMatchObject({ userId: '-9', chatType: 'channel' });
  });

  it.each([
    [null],
    [{}],
    [{ message: 'text' }],
    [{ message: { message_id: 1 } }],
    [{ edited_message: {} }],
    [[]],
  ])('that is %j has no message', (update) => {
    expect(incomingMessage(update, 'a_bot')).toBeNull();
  });

  it('has a number, unless it is broken', () => {
    expect(updateIdOf({ update_id: 5 })).toBe(5);
    for (const update of [{ update_id: '5' }, { update_id: 0.5 }, null, 'x']) expect(updateIdOf(update)).toBeNull();
  });
});

it.each([
  ['/start', 'start', ''],
  [' /Start now or\nlater ', 'start', 'now or\nlater'],
  ['/start@A_BOT x', 'start', 'x'],
  ['/start@other_bot x', null, ''],
  ['/start-now', null, ''],
  ['say /start', null, ''],
  ['/', null, ''],
])('the command of %j is %j', (text, command, rest) => {
  expect(read({ text })?.payload).toMatchObject({ command, arguments: rest });
});

it.each([
  [{}, 'Hello', 'private', true],
  [{}, 'Hello', 'group', false],
  [{ chat_types: ['group'] }, 'Hello', 'group', true],
  [{ command: '/Start' }, '/start now', 'private', true],
  [{ command: 'start' }, 'start', 'private', false],
  [{ pattern: '^\\d+$' }, '12', 'private', true],
  [{ pattern: '^\\d+$' }, 'a12', 'private', false],
  [{ command: 'start', pattern: 'x' }, '/start y', 'private', false],
])('a trigger with %j starts for %j in a %s chat: %s', (config, text, type, is) => {
  const found = read({ text, chat: { id: 1, type } });
  if (found === null) throw new Error('the message was not read');
  const matches = (pattern: string, given: string) => new RegExp(pattern).test(given);
  expect(isBotMatch(botTriggerSettings(config), found, matches)).toBe(is);
});

it('the answer is sent unless `reply` is false', () => {
  expect([{}, { reply: true }, { reply: false }].map((config) => botTriggerSettings(config).replies)).toEqual([
    true,
    true,
    false,
  ]);
});

it.each([
  ['', '42', false, true],
  [' , ', '42', false, true],
  ['42', '42', true, false],
  ['7, 42 ', '42', true, false],
  ['142', '42', false, false],
  ['*', '42', true, false],
  ['7,*', '', true, false],
  ['7,', '', false, false],
])('a list of allowed users %j admits %j: %s', (allowed, user, is, isEmpty) => {
  expect([admits(allowed, user), admitsNobody(allowed)]).toEqual([is, isEmpty]);
});
