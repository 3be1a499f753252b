import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { IPV4_BYTES, IPV6_BYTES } from '../peer/signed-ip.js';

/** Where a node listens. */
export interface PeerAddress {
  nodeId: string;
  /** IPv4 or IPv6 without brackets, or a name. */
  host: string;
  port: number;
  /** Whether this one may be private, whatever the network is: the operator has written it down. */
  isPrivateAllowed?: boolean;
}

/** From `host:port` or `[v6]:port`; nothing for what is not one. */
export function parsePeerAddress(nodeId: string, hostAndPort: string): PeerAddress[] {
  const match = /^(?:\[(?<v6>[0-9a-fA-F:.]+)\]|(?<host>[^:]+)):(?<port>\d{1,5})$/.exec(hostAndPort);
  const host = match?.groups?.['v6'] ?? match?.groups?.['host'];
  const port = Number(match?.groups?.['port']);
  return host === undefined || port < 1 || port > 65_535 ? [] : [{ nodeId, host, port }];
}

/** From `NodeID-…@host:port`. */
export function parsePeer(peer: string): PeerAddress[] {
  const at = peer.indexOf('@');
  return parsePeerAddress(peer.slice(0, at), peer.slice(at + 1));
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Everything that is not a host on the public internet. A peer list may name any address, and dialling one of these
 * would make this process knock on doors inside its own network.
 */
const PRIVATE = new BlockList();
const PRIVATE_IPV4_SUBNETS = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const;
const PRIVATE_IPV6_SUBNETS = [
  ['::', 96], // unspecified, loopback, IPv4-compatible
  ['64:ff9b::', 95], // translated to IPv4, which may be private
  ['64:ff9b:1::', 48],
  ['2002::', 16], // 6to4 likewise
  ['fc00::', 7],
  ['fe80::', 9], // link-local and the retired site-local
  ['ff00::', 8],
] as const;
PRIVATE_IPV4_SUBNETS.forEach(([net, prefix]) => PRIVATE.addSubnet(net, prefix, 'ipv4'));
PRIVATE_IPV6_SUBNETS.forEach(([net, prefix]) => PRIVATE.addSubnet(net, prefix, 'ipv6'));

/** Whether an address in text form is not public. IPv4 addresses in IPv6 form count as IPv4. Text that is no address is. */
export function isPrivateAddress(address: string): boolean {
  return isListed(PRIVATE, address) ?? true;
}

/** Whether an address in text form is this machine's own. */
export function isLoopbackAddress(address: string): boolean {
  return isListed(LOOPBACK, address) ?? false;
}

function isListed(list: BlockList, address: string): boolean | undefined {
  switch (isIP(address)) {
    case 4:
      return list.check(address, 'ipv4');
    case 6:
      // An address with a zone is link-local.
      return address.includes('%') ? list === PRIVATE : list.check(address, 'ipv6');
    default:
      return undefined;
  }
}

/** Text of an address of 4 or 16 bytes, IPv4 wherever it is one; undefined for another length. */
export function ipToText(ip: Uint8Array): string | undefined {
  if (ip.length === IPV4_BYTES) {
    return ip.join('.');
  }
  if (ip.length !== IPV6_BYTES) {
    return undefined;
  }
  const isMapped = ip[10] === 0xff && ip[11] === 0xff && ip.subarray(0, 10).every((byte) => byte === 0);
  if (isMapped) {
    return ip.subarray(IPV6_BYTES - IPV4_BYTES).join('.');
  }
  const view = new DataView(ip.buffer, ip.byteOffset);
  return Array.from({ length: 8 }, (_, i) => view.getUint16(2 * i).toString(16)).join(':');
}

/** Code of the error with which dialling ends when an address, or every address of a name, is private. */
export const PRIVATE_ADDRESS_ERROR_CODE = 'EPRIVATE';

export function makePrivateAddressError(): NodeJS.ErrnoException {
  return Object.assign(new Error('a private address'), { code: PRIVATE_ADDRESS_ERROR_CODE });
}

/** The system's lookup without private addresses: a name must not be a way around the rule. */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  dnsLookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
    const isPublic = error === null ? found.filter(({ address }) => !isPrivateAddress(address)) : [];
    const [first] = isPublic;
    if (error !== null || first === undefined) {
      callback(error ?? makePrivateAddressError(), []);
    } else if (options.all === true) {
      callback(null, isPublic);
    } else {
      callback(null, first.address, first.family);
    }
  });
};
