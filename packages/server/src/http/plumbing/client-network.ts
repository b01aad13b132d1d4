/** An IPv6 address that stands for an IPv4 address. */
const mappedIPv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The network that failures are counted for: an IPv4 address, or the first 64 bits of an IPv6 address. Every customer
 * of a provider has at least these 2^64 addresses, so a count for each address would limit nobody.
 */
export function clientNetwork(address: string): string {
  const mapped = mappedIPv4.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [before = '', after = ''] = withoutIPv4(address.replace(/%.*$/, '')).split('::');
  const head = groupsIn(before);
  const tail = groupsIn(after);
  const zeros = address.includes('::') ? Array<string>(8 - head.length - tail.length).fill('0') : [];
  const groups = [...head, ...zeros, ...tail].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

function groupsIn(text: string): readonly string[] {
  return text === '' ? [] : text.split(':');
}

/** An IPv4 address at the end fills two groups; which ones is not important beyond the first 64 bits. */
function withoutIPv4(address: string): string {
  return address.replace(/\d+\.\d+\.\d+\.\d+$/, '0:0');
}
