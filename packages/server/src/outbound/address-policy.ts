import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type EgressAllow, hostName, nothingAllowed } from './egress-allow.ts';

/**
 * The allowed targets of requests. Loopback and private addresses only while the service itself listens on loopback.
 */
export interface AddressPolicy {
  readonly allowPrivate: boolean;
  /** Private hosts and networks that the operator allows by name or address. */
  readonly allow?: EgressAllow;
  /** The service's own port, which its own requests may not reach; null before it listens. */
  readonly ownPort: () => number | null;
}

type Range = readonly [address: string, prefix: number, family: 'ipv4' | 'ipv6'];

/** Never allowed as a target: link-local and cloud metadata, multicast, "this network", documentation, reserved. */
const forbidden: readonly Range[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  // Cloud metadata addresses outside the link-local range.
  ['100.100.100.200', 32, 'ipv4'],
  ['168.63.129.16', 32, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['fe80::', 10, 'ipv6'],
  ['fec0::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
  ['fd00:ec2::254', 128, 'ipv6'],
  ['fd20:ce::254', 128, 'ipv6'],
  ['100::', 64, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['3fff::', 20, 'ipv6'],
  ['5f00::', 16, 'ipv6'],
  // IPv6 forms that would carry an IPv4 address past the IPv4 rules: compatible, translated, 6to4, Teredo.
  ['::', 96, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['2001::', 32, 'ipv6'],
];

/** Reachable from this machine or its network only. */
const privateRanges: readonly Range[] = [
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['fc00::', 7, 'ipv6'],
];

function blockList(ranges: readonly Range[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix, family] of ranges) list.addSubnet(address, prefix, family);
  return list;
}

const forbiddenList = blockList(forbidden);
const privateList = blockList(privateRanges);
const loopback6 = '::1';

/** The target of a connection: an address and the name that resolved to it; null if the URL has the address itself. */
export interface Destination {
  readonly address: string;
  readonly port: number;
  readonly name: string | null;
}

/** Why a connection to this address is not allowed; null if it is allowed. */
export function rejection(policy: AddressPolicy, { address, port, name }: Destination): string | null {
  const plain = withoutMapping(address);
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
  const isLoopback6 = plain === loopback6;
  if (!isLoopback6 && forbiddenList.check(plain, family)) return 'it is a link-local, metadata or reserved address';
  if (port === policy.ownPort() && isOwnAddress(plain)) return "it is this service's own port";
  if (policy.allowPrivate || !(isLoopback6 || privateList.check(plain, family))) return null;
  const { addresses, hosts } = policy.allow ?? nothingAllowed;
  if (addresses.check(plain, family) || (name !== null && hosts.has(hostName(name)))) return null;
  return 'it is a loopback or private address, and MILLRACE_EGRESS_ALLOW does not contain it';
}

/** `::ffff:10.0.0.1` is 10.0.0.1. Node gives mapped addresses in dotted form; URLs in hexadecimal form. */
function withoutMapping(address: string): string {
  const dotted = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  const hex = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address);
  if (hex?.[1] === undefined || hex[2] === undefined) return address;
  const [high, low] = [Number.parseInt(hex[1], 16), Number.parseInt(hex[2], 16)];
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

function isOwnAddress(address: string): boolean {
  if (address === loopback6 || address.startsWith('127.')) return true;
  return Object.values(networkInterfaces()).some((entries) => entries?.some((entry) => entry.address === address));
}
