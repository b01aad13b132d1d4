import { expect, it } from 'vitest';
import { htmlParts, maxBotMessage, messageParts } from './message-parts.ts';

const long = (length: number, character = 'a') => character.repeat(length);

it('keeps a text that fits into one message', () => {
  expect(messageParts('Hello\n\nthere')).toEqual(['Hello\n\nthere']);
  expect(messageParts(long(maxBotMessage))).toEqual([long(maxBotMessage)]);
});

it('divides a longer text at a line break, or else at a space', () => {
  expect(messageParts(`${long(3000)}\n${long(1000)} ${long(500)}`)).toEqual([long(3000), `${long(1000)} ${long(500)}`]);
  expect(messageParts(`${long(4000)} ${long(500)}`)).toEqual([long(4000), long(500)]);
  expect(messageParts(long(maxBotMessage + 1))).toEqual([long(maxBotMessage), 'a']);
});

it('ignores a line break that would make a short first part', () => {
  expect(messageParts(`a\n${long(5000)}`).map(({ length }) => length)).toEqual([maxBotMessage, 5002 - maxBotMessage]);
});

it('divides no character', () => {
  const parts = messageParts(`a${'😀'.repeat(4000)}`);
  expect(parts.every((part) => part.isWellFormed() && part.length <= maxBotMessage)).toBe(true);
  expect(parts.join('')).toBe(`a${'😀'.repeat(4000)}`);
});

it('leaves out parts without a visible character', () => {
  expect(messageParts('')).toEqual([]);
  expect(messageParts(' \n\t')).toEqual([]);
  expect(messageParts(`${long(4096)}${long(4096, '\n')}b`)).toEqual([long(4096), 'b']);
});

it('closes tags at the end of a part and opens them again in the next one', () => {
  const html = `<pre><code class="language-js">${long(4000)}\n${long(200, 'b')}</code></pre><b>end</b>`;
  expect(htmlParts(html)).toEqual([
    `<pre><code class="language-js">${long(4000)}</code></pre>`,
    `<pre><code class="language-js">${long(200, 'b')}</code></pre><b>end</b>`,
  ]);
});

it('divides neither a tag nor a character reference', () => {
  expect(htmlParts(`${long(4090)}<a href="https://example.org/a">x</a>`)).toEqual([
    long(4090),
    '<a href="https://example.org/a">x</a>',
  ]);
  expect(htmlParts(`${long(4094)}&amp;b`)).toEqual([long(4094), '&amp;b']);
});

it('comes to an end with every text', () => {
  for (const piece of ['<', '&', '<b', '<b>', '</b>', '&amp', '<b> ', '\ud83d']) {
    const parts = htmlParts(piece.repeat(10_000));
    expect(parts.length).toBeLessThan(piece.length * 4);
  }
});
