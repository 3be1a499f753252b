import { isIPv6 } from 'node:net';

const GROUPS = 8;
/** The smallest block that a provider gives to one customer: the owner of one address owns all of its /64. */
const NETWORK_GROUPS = 4;

/** What a caller without a key is known by: the IPv4 address, or the /64 of the IPv6 one. */
export function clientAddress(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped !== undefined) return mapped;
  const address = ip.split('%', 1)[0] ?? '';
  if (!isIPv6(address)) return ip;
  return `${groupsOf(address).slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

/** All groups, without leading zeros. A dotted end counts as two, which no /64 reaches. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.toLowerCase().split('::');
  const before = split(head);
  const after = split(tail ?? '');
  const missing = Math.max(0, GROUPS - before.length - after.length);
  const zeros = tail === undefined ? [] : Array.from({ length: missing }, () => '0');
  return [...before, ...zeros, ...after].map((group) => group.replace(/^0+(?=.)/, ''));
}

function split(part: string): string[] {
  return part === '' ? [] : part.split(':');
}
