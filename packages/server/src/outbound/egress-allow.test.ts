import { describe, expect, test } from 'vitest';
import { rejection } from './address-policy.ts';
import { EgressAllowError, parseEgressAllow } from './egress-allow.ts';

/** Whether a service that listens on more than loopback may connect, with this list. */
function mayConnect(list: readonly string[], address: string, name: string | null = null): boolean {
  const policy = { allowPrivate: false, allow: parseEgressAllow(list), ownPort: () => 7411 };
  return rejection(policy, { address, port: 443, name }) === null;
}

describe('a list of private hosts', () => {
  test.each([
    [['10.0.0.0/8'], '10.1.2.3', true],
    [['10.0.0.0/8'], '11.1.2.3', true],
    [['10.0.0.0/8'], '192.168.0.1', false],
    [['10.0.0.0/8'], '::ffff:10.1.2.3', true],
    [['127.0.0.1'], '127.0.0.1', true],
    [['127.0.0.1'], '127.0.0.2', false],
    [['::1'], '::1', true],
    [['fd00::/8'], 'fd12::1', true],
    [['10.0.0.0/8', 'fd00::/8'], 'fc00::1', false],
    [[], '10.1.2.3', false],
  ])('%j for %s: %s', (list, address, allowed) => {
    expect(mayConnect(list, address)).toBe(allowed);
  });

  test('allows the named hosts, whatever private address they have, and no others', () => {
    const list = ['models.local', 'Other.Example.'];
    expect(mayConnect(list, '10.0.0.1', 'MODELS.local')).toBe(true);
    expect(mayConnect(list, '10.0.0.1', 'other.example')).toBe(true);
    expect(mayConnect(list, '10.0.0.1', 'sub.models.local')).toBe(false);
    expect(mayConnect(list, '10.0.0.1')).toBe(false);
  });

  test.each([
    '169.254.169.254',
    'fe80::1',
    '0.0.0.0',
    '100.100.100.200',
    'fd00:ec2::254',
    '::10.0.0.1',
  ])('never allows %s', (address) => {
    const everything = ['0.0.0.0/0', '::/0', 'metadata.internal'];
    expect(mayConnect(everything, address, 'metadata.internal')).toBe(false);
  });

  test('never allows the service’s own port', () => {
    const policy = { allowPrivate: false, allow: parseEgressAllow(['127.0.0.1']), ownPort: () => 443 };
    expect(rejection(policy, { address: '127.0.0.1', port: 443, name: null })).toBe("it is this service's own port");
  });

  test.each([
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    'fd00::/129',
    '10.0.0',
    '1.2.3.4.5',
    'a b',
    'http://a',
    '*.a',
    '/8',
  ])('rejects the entry %s', (entry) => {
    expect(() => parseEgressAllow([entry])).toThrow(EgressAllowError);
  });
});
