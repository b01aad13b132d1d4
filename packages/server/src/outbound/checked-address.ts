import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { StepError } from '@millrace/core';
import { type AddressPolicy, rejection } from './address-policy.ts';

/** The address of a URL's host, if the outbound policy allows all that the host has. */
export type CheckedAddress = (url: URL) => Promise<string>;

const usualPorts: ReadonlyMap<string, number> = new Map([
  ['http:', 80],
  ['https:', 443],
  ['ssh:', 22],
]);

/** For connections that another program makes: it must connect to exactly this address. */
export function createCheckedAddress(policy: AddressPolicy): CheckedAddress {
  return async (url) => {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = url.port === '' ? (usualPorts.get(url.protocol) ?? 0) : Number(url.port);
    const isLiteral = isIP(host) !== 0;
    const found = isLiteral ? [{ address: host }] : await lookup(host, { all: true }).catch(() => []);
    for (const { address } of found) {
      const reason = rejection(policy, { address, port, name: isLiteral ? null : host });
      if (reason !== null) throw new StepError('http_blocked', `The address of ${url.host} is not allowed: ${reason}.`);
    }
    const [first] = found;
    if (first !== undefined) return first.address;
    throw new StepError('git_unavailable', `The host ${url.host} was not found.`, { retryable: true });
  };
}
