import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EventStream } from './event-stream.ts';

function read(pieces: readonly Buffer[]): string[] {
  const stream = new EventStream();
  return [...pieces.flatMap((piece) => stream.push(piece)), ...stream.end()];
}

it.each([
  ['data: a\n\ndata: b\n\n', ['a', 'b']],
  ['data:a\r\n\r\ndata:  b\r\n\r\n', ['a', ' b']],
  ['data: a\r\rdata: b\r\r', ['a', 'b']],
  [': hello\n\nevent: ping\nid: 5\nretry: 10\ndata: {}\n\n', ['{}']],
  ['data: a\ndata: b\n\n', ['a\nb']],
  ['data: a', ['a']],
  ['data\n\nother: x\n\n', []],
  ['', []],
])('reads %j', (text, events) => {
  expect(read([Buffer.from(text)])).toEqual(events);
});

it('reads the same, wherever its bytes are split', () => {
  const text = fc.array(fc.stringMatching(/^[a-zä€😀]{1,8}$/u), { minLength: 1, maxLength: 5 });
  const end = fc.constantFrom('\n', '\r\n', '\r');
  fc.assert(
    fc.property(text, end, fc.array(fc.nat(60)), (texts, newline, cuts) => {
      const bytes = Buffer.from(texts.map((each) => `event: x${newline}data: ${each}${newline}${newline}`).join(''));
      const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
      const pieces = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
      expect(read(pieces)).toEqual(texts);
    }),
  );
});

it('reads a line of many pieces in linear time', () => {
  // Joining the pieces for each new one took 5 s for a tenth of them.
  const piece = Buffer.from('x'.repeat(1000));
  const pieces = Array.from({ length: 40_000 }, () => piece);
  expect(read([Buffer.from('data: '), ...pieces])[0]?.length).toBe(40_000_000);
});
