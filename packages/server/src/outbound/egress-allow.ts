import { BlockList, isIP } from 'node:net';

/** Private hosts that the operator allows: networks, addresses, and names with any address. */
export interface EgressAllow {
  readonly addresses: BlockList;
  /** In the form of `hostName`. */
  readonly hosts: ReadonlySet<string>;
}

/** MILLRACE_EGRESS_ALLOW has an entry that cannot be used. The message is one line. */
export class EgressAllowError extends Error {}

/** No exceptions to the policy. */
export const nothingAllowed: EgressAllow = { addresses: new BlockList(), hosts: new Set() };

/** Reads the entries of MILLRACE_EGRESS_ALLOW. @throws EgressAllowError */
export function parseEgressAllow(entries: readonly string[]): EgressAllow {
  const addresses = new BlockList();
  const hosts = new Set<string>();
  for (const entry of entries) {
    const [address = '', prefix, ...more] = entry.split('/');
    const version = isIP(address);
    const bits = version === 6 ? 128 : 32;
    const length = prefix === undefined ? bits : Number(prefix);
    const isNetwork = version !== 0 && more.length === 0 && /^(\d{1,3})?$/.test(prefix ?? '') && length <= bits;
    if (isNetwork && prefix !== '') addresses.addSubnet(address, length, version === 6 ? 'ipv6' : 'ipv4');
    else if (isHostName(entry)) hosts.add(hostName(entry));
    else {
      throw new EgressAllowError(
        `MILLRACE_EGRESS_ALLOW has '${entry}', which is neither an address, a network such as 10.0.0.0/8, nor a host name.`,
      );
    }
  }
  return { addresses, hosts };
}

/** A name in the form for comparison: lower case, without the trailing dot. */
export function hostName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** A name that ends in digits only would be another notation of an address. */
function isHostName(text: string): boolean {
  return /^[a-z\d_-]+(\.[a-z\d_-]+)*\.?$/i.test(text) && !/(^|\.)\d+\.?$/.test(text);
}
