import { isIPv4, isIPv6 } from 'node:net';

const GROUPS = 8;
/** The smallest block that a provider gives to one customer: the owner of one address owns all of its /64. */
const NETWORK_GROUPS = 4;
/** The largest block that one customer gets for the asking. */
const SITE_GROUPS = 3;

/** Whom no proxy has named by an address: all of them are one. */
const NO_ADDRESS = 'unknown';

/**
 * Identity of a caller without a key: the IPv4 address, or the /64 of the IPv6 one. `ip` may be as proxies write it, with a port and in
 * brackets: whoever connects anew is nobody new.
 */
export function clientAddress(ip: string): string {
  const address = bareAddress(ip);
  return isIPv6(address) ? blockOf(address, NETWORK_GROUPS) : address;
}

/** The /48 around an IPv6 address: one customer may have thousands of /64s in it. Undefined for others. */
export function clientSite(ip: string): string | undefined {
  const address = bareAddress(ip);
  return isIPv6(address) ? blockOf(address, SITE_GROUPS) : undefined;
}

function bareAddress(ip: string): string {
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(ip) ?? [];
  const [, beforePort] = /^([\d.]+):\d+$/.exec(ip) ?? [];
  const [address = ''] = (bracketed ?? beforePort ?? ip).split('%', 1);
  const bare = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  return isIPv4(bare) || isIPv6(bare) ? bare : NO_ADDRESS;
}

function blockOf(address: string, groups: number): string {
  return `${groupsOf(address).slice(0, groups).join(':')}::/${16 * groups}`;
}

/** All groups, without leading zeros. A dotted end counts as two, which no block reaches. */
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
