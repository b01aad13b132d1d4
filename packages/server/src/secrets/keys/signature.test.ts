import { expect, test } from 'vitest';
import { keyOfText, newKeyText } from './secret-key.ts';
import { isSignedBy, signatureBy } from './signature.ts';

const [key, other] = [keyOfText(newKeyText()), keyOfText(newKeyText())];

test('a signature is deterministic, safe in URLs, and contains the id of its key', () => {
  const signature = signatureBy(key, 'some text');
  expect(signatureBy(key, 'some text')).toBe(signature);
  expect(signature).toMatch(/^[0-9a-f]{8}\.[\w-]{43}$/);
  expect(signature.startsWith(`${key.id}.`)).toBe(true);
});

test('a signature is valid for its exact text and its key only', () => {
  const signature = signatureBy(key, 'some text');
  expect(isSignedBy(key, 'some text', signature)).toBe(true);
  for (const wrong of [
    '',
    signature.slice(0, -1),
    `${signature}A`,
    signature.toUpperCase(),
    signatureBy(key, 'Some text'),
  ]) {
    expect(isSignedBy(key, 'some text', wrong)).toBe(false);
  }
  expect(isSignedBy(other, 'some text', signature)).toBe(false);
  expect(isSignedBy(key, 'some text', signatureBy(other, 'some text'))).toBe(false);
});
