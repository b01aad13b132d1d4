import { finishedText, runThrough } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import { decodedText } from './charsets.ts';
import { slices } from './slices.ts';

const mebibyte = 1024 * 1024;

function textOf(bytes: Buffer, charset: string): string {
  return runThrough(finishedText(decodedText(bytes, `text/plain; charset=${charset}`)));
}

/** The longest time between two pauses of the work, in milliseconds, and its result. */
function longestSlice(bytes: Buffer, charset: string): { readonly ms: number; readonly text: string } {
  const work = finishedText(decodedText(bytes, `text/plain; charset=${charset}`));
  for (let longest = 0; ; ) {
    const began = performance.now();
    const { done, value } = work.next();
    longest = Math.max(longest, performance.now() - began);
    if (done === true) return { ms: longest, text: value };
  }
}

describe('a long text', () => {
  test.each([
    ['euc-jp', '\xc6\xfc\xcb\xdc\x8f\xb0\xa1\n', '日本丂\n'],
    ['shift_jis', '\x93\xfa\x96\x7b-', '日本-'],
    ['iso-2022-jp', '\x1b$BF|K\\\x1b(Ba', '日本a'],
    ['gb18030', '\xc8\xd5\xb1\xbe\x81\x30\x81\x30a', '日本\x80a'],
    ['windows-1251', '\xcf\xf0\xe8', 'При'],
    ['utf-16le', '\xe5\x65\x2c\x67\x3d\xd8\x00\xde', '日本😀'],
    ['utf-8', '\xe6\x97\xa5\xf0\x9f\x98\x80a', '日😀a'],
  ])('in %s is the same as in one piece, wherever its parts are divided', (charset, bytes, expected) => {
    const times = 20_000;
    expect(textOf(Buffer.from(bytes.repeat(times), 'latin1'), charset) === expected.repeat(times)).toBe(true);
  });

  test('is decoded in parts, between which others have the event loop', async () => {
    const [order, bytes] = [[] as string[], Buffer.alloc(8 * mebibyte, '\xc6\xfc', 'latin1')];
    const reading = slices.finish(finishedText(decodedText(bytes, 'text/plain; charset=euc-jp')));
    const [text] = await Promise.all([
      reading.then((read) => {
        order.push('text');
        return read;
      }),
      new Promise<void>((resolve) => setImmediate(resolve)).then(() => order.push('other')),
    ]);
    expect([order, text.length]).toEqual([['other', 'text'], 4 * mebibyte]);
  });

  test.each([
    ['euc-jp', '\x8f'],
    ['iso-2022-jp', '\x8f'],
    ['shift_jis', 'ÿ'],
  ])('that is no text in %s is decoded as if it named no charset', (charset, character) => {
    const { ms, text } = longestSlice(Buffer.alloc(10 * mebibyte, character, 'latin1'), charset);
    expect(text === character.repeat(10 * mebibyte)).toBe(true);
    // Without parts it takes two seconds in EUC-JP.
    expect(ms).toBeLessThan(500);
  });

  test('with a few damaged characters keeps its charset', () => {
    const damaged = `${'\xc6\xfc'.repeat(1000)}\xff`.repeat(1200);
    const text = textOf(Buffer.from(damaged, 'latin1'), 'euc-jp');
    expect(text === `${'日'.repeat(1000)}\uFFFD`.repeat(1200)).toBe(true);
  });

  test('in damaged UTF-8 remains UTF-8', () => {
    expect(textOf(Buffer.alloc(100_000, 'ä\xff', 'latin1'), 'utf-8') === '\uFFFD'.repeat(100_000)).toBe(true);
  });
});
