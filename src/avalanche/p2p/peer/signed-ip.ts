import { verify, type KeyObject } from 'node:crypto';
import { Packer } from '../../codec/packer.js';
import { P2pError } from '../p2p.error.js';

export const IPV4_BYTES = 4;
export const IPV6_BYTES = 16;

/** An address as nodes sign it: with the moment, so that a newer claim replaces an older one. */
export interface UnsignedIp {
  /** 4 or 16 bytes. */
  ip: Uint8Array;
  port: number;
  timestampSeconds: bigint;
}

/**
 * The 26 bytes under the signatures of an address (avalanchego v1.14.2 network/peer/ip.go): 16 bytes of address, an
 * IPv4 one as ::ffff:a.b.c.d, then port and time.
 * Throws P2pError `INVALID_IP_CLAIM` for an address of another length, a port above 65535 or a time above 64 bits.
 */
export function packUnsignedIp({ ip, port, timestampSeconds }: UnsignedIp): Uint8Array {
  if (ip.length !== IPV4_BYTES && ip.length !== IPV6_BYTES) {
    throw new P2pError('INVALID_IP_CLAIM', `an address of ${ip.length} bytes`);
  }
  if (!Number.isInteger(port) || port < 0 || port > 0xffff) {
    throw new P2pError('INVALID_IP_CLAIM', `port ${port}`);
  }
  const packer = new Packer();
  packer.packFixedBytes(toIpv6(ip));
  packer.packShort(port);
  packer.packLong(timestampSeconds);
  return packer.toBytes();
}

/** 16 bytes of an address of 4 or 16. */
function toIpv6(ip: Uint8Array): Uint8Array {
  if (ip.length === IPV6_BYTES) {
    return ip;
  }
  const mapped = new Uint8Array(IPV6_BYTES);
  mapped.set([0xff, 0xff], IPV6_BYTES - IPV4_BYTES - 2);
  mapped.set(ip, IPV6_BYTES - IPV4_BYTES);
  return mapped;
}

/** Whether the key of a node's certificate signed these bytes: SHA-256, ECDSA in DER or RSA PKCS #1 v1.5. */
export function verifyTlsSignature(publicKey: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify('sha256', bytes, publicKey, signature);
  } catch {
    return false;
  }
}
