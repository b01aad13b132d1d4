import { expect, test } from 'vitest';
import { fixedKeyring } from '../secrets/keyring.ts';
import { keyOfText, newKeyText, type SecretKey } from '../secrets/secret-key.ts';
import { createVault } from '../secrets/vault.ts';
import { createWaitLinks } from './wait-links.ts';

const [old, current] = [keyOfText(newKeyText()), keyOfText(newKeyText())];
const clock = { now: () => 0, monotonic: () => 0 };

/** Addresses of an installation that seals by the first of these keys. */
function linksOf(...keys: readonly [SecretKey, ...SecretKey[]]) {
  const vault = createVault(fixedKeyring(keys), keys[0], async () => keys[0].id);
  return createWaitLinks({ vault, baseUrl: () => 'https://flows.example.com', clock });
}

const step = { executionId: '01980000-0000-7000-8000-000000000000', frame: 'each[0]', nodeId: 'hook' };
const tokenOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

test('a callback is the same address each time, and says which step of which run it is for', () => {
  const links = linksOf(current);
  const url = links.callbackUrl(step);
  expect(links.callbackUrl(step)).toBe(url);
  expect(url).toMatch(/^https:\/\/flows\.example\.com\/api\/v1\/callbacks\/[\w.-]+$/);
  expect(links.read(tokenOf(url))).toEqual({ kind: 'callback', ...step, isSigned: true });
  expect(links.hashOf(tokenOf(url))).toBe(links.callbackHash(step));
});

test('a link to answer by says what it answers and how long it works', () => {
  const links = linksOf(current);
  for (const confirmed of [true, false]) {
    const token = tokenOf(links.answerUrl(step, { confirmed, until: 5 }));
    expect(links.read(token)).toEqual({ kind: 'answer', ...step, confirmed, until: 5 });
  }
});

test('an address of another key, of another step or of no step is none', () => {
  const links = linksOf(current);
  const [words, ...signature] = tokenOf(links.answerUrl(step, { confirmed: false, until: 5 })).split('.');
  const signed = (value: unknown) => [Buffer.from(JSON.stringify(value)).toString('base64url'), ...signature].join('.');
  const tokens = [
    '',
    '.',
    String(words),
    tokenOf(linksOf(old).answerUrl(step, { confirmed: false, until: 5 })),
    signed(['answer', step.executionId, step.frame, step.nodeId, true, 5]),
    signed({ kind: 'answer' }),
    signed(['callback', 1, 2, 3]),
    'x'.repeat(10_000),
  ];
  for (const token of tokens) expect(links.read(token)).toBeNull();
});

test('after a rotation the keys that are left still know what they signed; of a callback its hash does', () => {
  const [url, answer] = [linksOf(old).callbackUrl(step), linksOf(old).answerUrl(step, { confirmed: true, until: 5 })];
  expect(linksOf(current, old).read(tokenOf(answer))).toMatchObject({ confirmed: true });
  expect(linksOf(current).read(tokenOf(answer))).toBeNull();
  const rotated = linksOf(current);
  expect(rotated.read(tokenOf(url))).toEqual({ kind: 'callback', ...step, isSigned: false });
  expect(rotated.hashOf(tokenOf(url))).toBe(linksOf(old).callbackHash(step));
});
