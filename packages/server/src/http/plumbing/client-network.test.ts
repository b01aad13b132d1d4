import fc from 'fast-check';
import { expect, it } from 'vitest';
import { clientNetwork } from './client-network.ts';

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:1::', '2001:db8:1:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['not an address', 'not an address'],
])('the network of %s is %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});

it('addresses with the same first 64 bits share a network, and others do not', () => {
  const groups = (length: number) =>
    fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: length, maxLength: length });
  const textOf = (numbers: readonly number[]): string => numbers.map((number) => number.toString(16)).join(':');
  fc.assert(
    fc.property(groups(4), groups(4), groups(4), groups(4), (head, other, tail, otherTail) => {
      const network = clientNetwork(textOf([...head, ...tail]));
      expect(clientNetwork(textOf([...head, ...otherTail]))).toBe(network);
      expect(clientNetwork(textOf([...other, ...tail])) === network).toBe(textOf(other) === textOf(head));
    }),
  );
});
