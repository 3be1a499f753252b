import { createHash } from 'node:crypto';
import { nodeIdToString } from '../../ids/node-id.js';
import type { ClaimedIpPort } from '../../proto/generated/p2p_pb.js';
import { parseStakingCertificate, type StakingCertificate } from '../../staking/certificate.js';
import { ipToText, type PeerAddress } from '../network/address.js';
import { MAX_CLOCK_DIFFERENCE_SECONDS } from './handshake.js';
import { P2pError } from '../p2p.error.js';
import { packUnsignedIp, verifyTlsSignature } from './signed-ip.js';

const GOSSIP_ID_PREIMAGE_BYTES = 40;

/** An address whose node signed it. */
export interface SignedPeerAddress extends PeerAddress {
  timestampSeconds: bigint;
  /** The bytes that a Bloom filter of known peers holds for this claim. */
  gossipId: Uint8Array;
}

/** `NodeID-…` of a claim, before anything about it was checked. */
export function readClaimant(claim: ClaimedIpPort): { nodeId: string; certificate: StakingCertificate } {
  try {
    const certificate = parseStakingCertificate(claim.x509Certificate);
    return { nodeId: nodeIdToString(certificate.nodeId), certificate };
  } catch (cause) {
    throw new P2pError('INVALID_IP_CLAIM', 'a claim without an acceptable certificate', { cause });
  }
}

/**
 * Checks one entry of a peer list (avalanchego v1.14.2 network/network.go, verifyIP; utils/ips/claimed_ip_port.go):
 * the key of the certificate signed the address, not later than a minute from now.
 * Throws P2pError `INVALID_IP_CLAIM`.
 */
export function verifyClaimedIp(
  claim: ClaimedIpPort,
  { nodeId, certificate }: { nodeId: string; certificate: StakingCertificate },
  nowSeconds: bigint,
): SignedPeerAddress {
  const { ipAddr: ip, ipPort: port, timestamp: timestampSeconds } = claim;
  const host = ipToText(ip);
  if (host === undefined || port === 0) {
    throw new P2pError('INVALID_IP_CLAIM', `an address of ${ip.length} bytes, port ${port}`);
  }
  if (timestampSeconds > nowSeconds + BigInt(MAX_CLOCK_DIFFERENCE_SECONDS)) {
    throw new P2pError('INVALID_IP_CLAIM', `a claim signed at ${timestampSeconds}, in the future`);
  }
  const bytes = packUnsignedIp({ ip, port, timestampSeconds });
  if (!verifyTlsSignature(certificate.publicKey, bytes, claim.signature)) {
    throw new P2pError('INVALID_IP_CLAIM', 'a claim that its node did not sign');
  }
  return {
    nodeId,
    host,
    port,
    timestampSeconds,
    gossipId: makeGossipId(certificate.nodeId, timestampSeconds),
  };
}

/** sha256 of node id, time and 12 zero bytes (utils/ips/claimed_ip_port.go). */
export function makeGossipId(nodeId: Uint8Array, timestampSeconds: bigint): Uint8Array {
  const preimage = new Uint8Array(GOSSIP_ID_PREIMAGE_BYTES);
  preimage.set(nodeId);
  new DataView(preimage.buffer).setBigUint64(nodeId.length, timestampSeconds);
  return new Uint8Array(createHash('sha256').update(preimage).digest());
}
