import { expect, test } from 'vitest';
import { keyOfPhrase } from '../../secrets/keys/secret-key.ts';
import { isSignedBy, signatureBy } from '../../secrets/keys/signature.ts';
import { createKnownDevices, type KnownDevices } from './known-devices.ts';

const day = 24 * 60 * 60 * 1000;
const clock = { now: () => 0 };

function devicesAt(now = 0, phrase = 'a phrase of this service'): KnownDevices {
  const key = keyOfPhrase(phrase);
  const sign = (text: string): string => signatureBy(key, text);
  return createKnownDevices(
    { sign, isSigned: (text, signature) => isSignedBy(key, text, signature) },
    { now: () => now },
  );
}

test('a browser is recognised by its token for half a year', () => {
  const { token, validFor } = devicesAt(0).issue('operator');
  expect(validFor).toBe(180 * day);
  expect(devicesAt(180 * day - 1).identify(token, 'Operator')).toMatch(/^[\w-]{16}$/);
  expect(devicesAt(180 * day).identify(token, 'operator')).toBeNull();
});

test('each browser has an id of its own', () => {
  const devices = devicesAt(clock.now());
  const ids = Array.from({ length: 2 }, () => devices.identify(devices.issue('operator').token, 'operator'));
  expect(new Set(ids).size).toBe(2);
});

test('a token is worth nothing for another account, with another key, or changed in any character', () => {
  const devices = devicesAt();
  const { token } = devices.issue('operator');
  expect(devices.identify(token, 'admin')).toBeNull();
  expect(devicesAt(0, 'a phrase of another service').identify(token, 'operator')).toBeNull();
  for (let index = 0; index < token.length; index += 1) {
    const changed = `${token.slice(0, index)}${token[index] === '1' ? '2' : '1'}${token.slice(index + 1)}`;
    expect(devices.identify(changed, 'operator')).toBeNull();
  }
});
