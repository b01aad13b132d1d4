import { linkTokensIn } from '@millrace/core';
import { maxLoopDepth } from '@millrace/core/testkit';
import { expect, test } from 'vitest';
import { fixedKeyring } from '../../secrets/keys/keyring.ts';
import { keyOfText, newKeyText, type SecretKey } from '../../secrets/keys/secret-key.ts';
import { createVault } from '../../secrets/keys/vault.ts';
import { createWaitLinks, executionOfToken, maxTokenLength } from './wait-links.ts';

const [old, current] = [keyOfText(newKeyText()), keyOfText(newKeyText())];

function vaultOf(...keys: readonly [SecretKey, ...SecretKey[]]) {
  return createVault(fixedKeyring(keys), keys[0], async () => keys[0].id);
}

/** The links of an installation that signs with the first of these keys. */
function linksOf(...keys: readonly [SecretKey, ...SecretKey[]]) {
  return createWaitLinks({ vault: vaultOf(...keys), baseUrl: () => 'https://flows.example.com' });
}

const step = { executionId: '01980000-0000-7000-8000-000000000000', frame: 'each[0]', nodeId: 'hook' };
const tokenOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

test('the address of a callback is always the same and identifies the step of a run', () => {
  const links = linksOf(current);
  const url = links.callbackUrl(step);
  expect(links.callbackUrl(step)).toBe(url);
  expect(url).toMatch(/^https:\/\/flows\.example\.com\/api\/v1\/callbacks\/[\w.-]+$/);
  expect(links.read(tokenOf(url))).toEqual({ kind: 'callback', ...step, isSigned: true });
  expect(links.hashOf(tokenOf(url))).toBe(links.callbackHash(step));
});

test('an answer link is always the same and contains its answer', () => {
  const links = linksOf(current);
  for (const confirmed of [true, false]) {
    const url = links.answerUrl(step, confirmed);
    expect(links.answerUrl(step, confirmed)).toBe(url);
    expect(links.read(tokenOf(url))).toEqual({ kind: 'answer', ...step, confirmed, until: null });
  }
});

test('every token is found in a text, and names its execution without its key', () => {
  const links = linksOf(current);
  for (const url of [links.callbackUrl(step), links.answerUrl(step, true), links.answerUrl(step, false)]) {
    expect(linkTokensIn(`See ${url}.`)).toEqual([tokenOf(url)]);
    expect(executionOfToken(tokenOf(url))).toBe(step.executionId);
  }
  expect(executionOfToken('x.y')).toBeNull();
});

test('a link of an earlier release contains its own expiry', () => {
  const vault = vaultOf(current);
  const words = ['answer', step.executionId, step.frame, step.nodeId, true, 5];
  const text = Buffer.from(JSON.stringify(words)).toString('base64url');
  const token = `${text}.${vault.sign(text)}`;
  expect(linksOf(current).read(token)).toEqual({ kind: 'answer', ...step, confirmed: true, until: 5 });
});

test('an address has an acceptable length for the step with the longest names in the deepest loops', () => {
  const links = linksOf(current);
  const name = 'n'.repeat(255);
  // The hundredth attempt of each loop, with more items than fit in a run.
  const frame = Array.from({ length: maxLoopDepth }, () => `${name}#100[9999999]`).join('/');
  const deepest = { ...step, nodeId: name, frame };
  for (const url of [links.callbackUrl(deepest), links.answerUrl(deepest, false)]) {
    expect(tokenOf(url).length).toBeLessThanOrEqual(maxTokenLength);
    expect(links.read(tokenOf(url))).toMatchObject(deepest);
  }
});

test('an address with another key, another step or no step is rejected', () => {
  const links = linksOf(current);
  const [words, ...signature] = tokenOf(links.answerUrl(step, false)).split('.');
  const signed = (value: unknown) => [Buffer.from(JSON.stringify(value)).toString('base64url'), ...signature].join('.');
  const tokens = [
    '',
    '.',
    String(words),
    tokenOf(linksOf(old).answerUrl(step, false)),
    signed(['answer', step.executionId, step.frame, step.nodeId, true, 5]),
    signed({ kind: 'answer' }),
    signed(['callback', 1, 2, 3]),
    'x'.repeat(10_000),
  ];
  for (const token of tokens) expect(links.read(token)).toBeNull();
});

test('after a rotation the remaining keys verify the links that they signed, and a callback can be verified by its hash', () => {
  const [url, answer] = [linksOf(old).callbackUrl(step), linksOf(old).answerUrl(step, true)];
  expect(linksOf(current, old).read(tokenOf(answer))).toMatchObject({ confirmed: true });
  expect(linksOf(current).read(tokenOf(answer))).toBeNull();
  const rotated = linksOf(current);
  expect(rotated.read(tokenOf(url))).toEqual({ kind: 'callback', ...step, isSigned: false });
  expect(rotated.hashOf(tokenOf(url))).toBe(linksOf(old).callbackHash(step));
});
