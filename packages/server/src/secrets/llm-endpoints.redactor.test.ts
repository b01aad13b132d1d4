import fc from 'fast-check';
import { expect, it } from 'vitest';
import { textRedactor } from './llm-endpoints.ts';

const secret = 'sk-0123456789abcdef';

function masked(pieces: readonly string[], secrets = [secret]): string {
  const redactor = textRedactor(secrets);
  return pieces.map((piece) => redactor.push(piece)).join('') + redactor.end();
}

it('passes on text without secrets at once', () => {
  const redactor = textRedactor([secret]);
  expect(redactor.push('Hello, ')).toBe('Hello, ');
  expect(redactor.push('world. sk')).toBe('world. ');
  expect(redactor.push('ating')).toBe('skating');
  expect(redactor.end()).toBe('');
});

it('masks a secret, wherever the text is split', () => {
  const words = fc.array(fc.constantFrom(secret, 'sk-', 'a', '0123', ' '), { maxLength: 8 });
  fc.assert(
    fc.property(words, fc.array(fc.nat(80)), (texts, cuts) => {
      const whole = texts.join('');
      const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length];
      const pieces = places.slice(1).map((place, index) => whole.slice(places[index], place));
      expect(masked(pieces)).toBe(whole.replaceAll(secret, '****'));
    }),
  );
});

it('masks a secret in every encoding, wherever the text is split', () => {
  const odd = 'a/key "of" é+%\\';
  const encodings = [
    odd,
    JSON.stringify(odd).slice(1, -1).replaceAll('+', '\\u002B'),
    encodeURIComponent(odd),
    encodeURIComponent(encodeURIComponent(odd)),
    Buffer.from(odd).toString('base64'),
  ];
  fc.assert(
    fc.property(fc.constantFrom(...encodings), fc.array(fc.nat(80)), (text, cuts) => {
      const whole = `before ${text} after`;
      const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length];
      const pieces = places.slice(1).map((place, index) => whole.slice(places[index], place));
      expect(masked(pieces, [odd])).toMatch(/^before \*{4}={0,2} after$/);
    }),
  );
});

it('ignores short secrets, which occur in normal texts by chance', () => {
  expect(masked(['an ', 'apple'], ['apple'])).toBe('an apple');
});
