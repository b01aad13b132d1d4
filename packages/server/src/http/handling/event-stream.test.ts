import { expect, it, vi } from 'vitest';
import { VirtualTime } from '../../ground/virtual-time.ts';
import { asksForEvents, EventStream } from './event-stream.ts';

function open() {
  const time = new VirtualTime();
  const onEnd = vi.fn();
  const stream = new EventStream(time.timers, onEnd);
  stream.body.setEncoding('utf8');
  return { time, onEnd, stream };
}

async function textOf({ body }: EventStream): Promise<string> {
  let text = '';
  for await (const part of body) text += part;
  return text;
}

it('writes each event with one line of data, and ends with the last one', async () => {
  const { stream, onEnd, time } = open();
  stream.send('token', { text: 'two\nlines' });
  stream.end('answer', { text: 'done' });
  stream.send('token', { text: 'too late' });
  const events = ['event: token\ndata: {"text":"two\\nlines"}\n\n', 'event: answer\ndata: {"text":"done"}\n\n'];
  expect(await textOf(stream)).toBe(events.join(''));
  expect(onEnd).toHaveBeenCalledOnce();
  expect(time.pending).toBe(0);
});

it('sends a comment every 15 s, so that no proxy closes the connection', async () => {
  const { stream, time } = open();
  time.advance(15_000);
  time.advance(15_000);
  stream.end('answer', {});
  expect(await textOf(stream)).toBe(`${': keep-alive\n\n'.repeat(2)}event: answer\ndata: {}\n\n`);
});

it('drops ephemeral text of a slow reader, and keeps other events', async () => {
  const { stream } = open();
  const text = 'x'.repeat(20_000);
  for (let index = 0; index < 10; index += 1) stream.send('token', { index, text }, true);
  stream.send('tool', { status: 'success' });
  stream.end('answer', {});
  const events = (await textOf(stream)).split('\n\n').filter((event) => event !== '');
  expect(events).toHaveLength(4 + 2);
  expect(events.slice(-2)).toEqual(['event: tool\ndata: {"status":"success"}', 'event: answer\ndata: {}']);
});

it('ends when a reader leaves more than 1 MiB unread', () => {
  const { stream, onEnd, time } = open();
  const text = 'x'.repeat(200_000);
  for (let index = 0; index < 10; index += 1) stream.send('tool', { text });
  expect(stream.body.destroyed).toBe(true);
  expect(stream.body.readableLength).toBeLessThan(1_300_000);
  return vi.waitFor(() => {
    expect(onEnd).toHaveBeenCalledOnce();
    expect(time.pending).toBe(0);
  });
});

it.each([
  ['text/event-stream', true],
  ['application/json, Text/Event-Stream;q=0.9', true],
  ['*/*', false],
  ['application/json', false],
  [undefined, false],
] as const)('a client that accepts %s asks for events: %s', (accept, asks) => {
  expect(asksForEvents(accept)).toBe(asks);
});
