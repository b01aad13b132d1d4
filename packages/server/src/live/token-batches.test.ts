import { beforeEach, expect, it } from 'vitest';
import { VirtualTime } from '../ground/virtual-time.ts';
import { Hub } from './hub.ts';
import { type TokenSink, tokenSink } from './token-batches.ts';

const speaker = { workflowId: 1, executionId: 'run', nodeId: 'ai', frame: '', attempt: 1 };

let time: VirtualTime;
let published: [offset: number, text: string][];
let sink: TokenSink;

beforeEach(() => {
  time = new VirtualTime();
  published = [];
  const hub = new Hub(time.clock);
  expect(tokenSink(hub, time.timers, speaker)).toBeNull();
  const listener = {
    deliver(message: Buffer) {
      const { data } = JSON.parse(message.toString()) as { data: { offset: number; text: string } };
      published.push([data.offset, data.text]);
    },
    revoked: () => undefined,
  };
  hub.subscribe(listener, 'workflow:a', { kind: 'workflow', workflowId: 1, access: 'member' });
  const opened = tokenSink(hub, time.timers, speaker);
  if (opened === null) throw new Error('nobody listens');
  sink = opened;
});

it('publishes ten batches per second, each with its position', () => {
  sink.push('Hel');
  sink.push('lo');
  time.advance(99);
  expect(published).toEqual([]);
  time.advance(1);
  expect(published).toEqual([[0, 'Hello']]);
  sink.push(', you');
  sink.flush();
  expect(published[1]).toEqual([5, ', you']);
  expect(time.pending).toBe(0);
});

it('publishes a large batch at once', () => {
  sink.push('x'.repeat(5000));
  expect(published).toEqual([[0, 'x'.repeat(5000)]]);
});

it('never splits a character', () => {
  sink.push('a\ud83c');
  sink.flush();
  sink.push('\udf0d');
  sink.flush();
  expect(published).toEqual([
    [0, 'a'],
    [1, '🌍'],
  ]);
});

it('never splits a link to answer a step, and publishes its beginning at the end of the text', () => {
  const token = `WyJhbnN3ZXIiLCI${'x'.repeat(60)}.0a1b2c3d.${'y'.repeat(43)}`;
  for (const part of ['See /answers/Wy', token.slice(2, 9), token.slice(9, 90)]) {
    sink.push(part);
    time.advance(100);
  }
  expect(published).toEqual([[0, 'See /answers/']]);
  sink.push(`${token.slice(90)} or ask W`);
  time.advance(100);
  expect(published[1]).toEqual([13, `${token} or ask `]);
  sink.flush();
  expect(published[2]?.[1]).toBe('W');
});

it('publishes nothing when nothing has arrived', () => {
  sink.flush();
  expect(published).toEqual([]);
});
