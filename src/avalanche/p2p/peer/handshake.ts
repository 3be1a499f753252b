import { create } from '@bufbuild/protobuf';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import type { KeyObject } from 'node:crypto';
import { AvalancheError } from '../../avalanche.error.js';
import { PROOF_OF_POSSESSION_DST, SIGNATURE_BYTES, type BlsSecretKey } from '../../bls/bls.interface.js';
import { ID_LENGTH } from '../../ids/id.js';
import {
  HandshakeSchema,
  type BloomFilter as BloomFilterMessage,
  type Handshake,
} from '../../proto/generated/p2p_pb.js';
import { BloomFilter, MAX_BLOOM_SALT_BYTES } from '../network/bloom-filter.js';
import { P2pError } from '../p2p.error.js';
import { packUnsignedIp, verifyTlsSignature } from './signed-ip.js';
import type { TlsIdentity } from './tls-identity.js';

/** Limits of avalanchego v1.15.0 network/peer/peer.go. */
const MAX_TRACKED_SUBNETS = 16;
export const MAX_CLOCK_DIFFERENCE_SECONDS = 60;
/** Nodes set no limits to these; honest ones name a few ACPs. */
const MAX_ACPS = 512;
const MAX_CLIENT_NAME_LENGTH = 64;

/** Software that a node claims to be. Nodes refuse another major version and versions below the network's floor. */
export interface ClientVersion {
  name: string;
  major: number;
  minor: number;
  patch: number;
}

/** The address in a handshake with both signatures over it; the signing time may be long past. */
export interface SignedIp {
  ip: Uint8Array;
  port: number;
  timestampSeconds: bigint;
  tlsSignature: Uint8Array;
  blsSignature: Uint8Array;
}

/** Signs an address with the TLS key and, under the proof-of-possession tag, with the BLS key. */
export function signIp(
  address: { ip: Uint8Array; port: number; timestampSeconds: bigint },
  identity: TlsIdentity,
  blsSecretKey: BlsSecretKey,
): SignedIp {
  const bytes = packUnsignedIp(address);
  return {
    ...address,
    tlsSignature: identity.sign(bytes),
    blsSignature: signUnderProofTag(bytes, blsSecretKey),
  };
}

/** Takes 25 ms; the native library has no other tag than that of messages. */
function signUnderProofTag(bytes: Uint8Array, secretKey: BlsSecretKey): Uint8Array {
  const { longSignatures } = bls12_381;
  const hashed = longSignatures.hash(bytes, PROOF_OF_POSSESSION_DST);
  return longSignatures.Signature.toBytes(longSignatures.sign(hashed, secretKey.toBytes()));
}

export interface HandshakeParameters {
  networkId: number;
  nowSeconds: bigint;
  signedIp: SignedIp;
  clientVersion: ClientVersion;
  /** Subnet ids of 32 bytes, at most 16, without the primary network. */
  trackedSubnets: readonly Uint8Array[];
  /** Unix seconds of the latest scheduled upgrade; nodes do not check it. */
  upgradeTimeSeconds?: bigint;
  /** Left out when nothing is known: an invalid filter, even an empty one, closes the connection. */
  knownPeers?: { filter: Uint8Array; salt: Uint8Array };
  /** Clients want the addresses of all validators; a validator itself usually does not. */
  allSubnets: boolean;
}

/** The first message of a connection. */
export function makeHandshake(parameters: HandshakeParameters): Handshake {
  const { signedIp, clientVersion, knownPeers } = parameters;
  return create(HandshakeSchema, {
    networkId: parameters.networkId,
    myTime: parameters.nowSeconds,
    ipAddr: signedIp.ip,
    ipPort: signedIp.port,
    upgradeTime: parameters.upgradeTimeSeconds ?? 0n,
    ipSigningTime: signedIp.timestampSeconds,
    ipNodeIdSig: signedIp.tlsSignature,
    trackedSubnets: [...parameters.trackedSubnets],
    client: clientVersion,
    ipBlsSig: signedIp.blsSignature,
    allSubnets: parameters.allSubnets,
    ...(knownPeers === undefined ? {} : { knownPeers }),
  });
}

export type HandshakeErrorCode =
  | 'WRONG_NETWORK'
  | 'CLOCK_DIFFERENCE'
  | 'INVALID_CLIENT'
  | 'INCOMPATIBLE_VERSION'
  | 'INVALID_SUBNETS'
  | 'CONFLICTING_ACPS'
  | 'TOO_MANY_ACPS'
  | 'INVALID_KNOWN_PEERS'
  | 'INVALID_IP'
  | 'INVALID_IP_SIGNATURE';

/** Why the other side's handshake is not acceptable. */
export class HandshakeError extends AvalancheError<HandshakeErrorCode> {}

export interface HandshakeExpectations {
  networkId: number;
  nowSeconds: bigint;
  /** Key of the certificate that the connection was made with. */
  publicKey: KeyObject;
  /** Highest major version, and lowest version, that are compatible; a client has no reason to set either. */
  maximumMajor?: number;
  minimumVersion?: Omit<ClientVersion, 'name'>;
}

/**
 * Checks a received handshake in the order that nodes do (avalanchego v1.15.0 network/peer/peer.go, handleHandshake), and returns the
 * version that it reports.
 * Of the BLS signature only the length is checked: a client knows the node by its certificate.
 * Throws HandshakeError.
 */
export function validateHandshake(handshake: Handshake, expected: HandshakeExpectations): ClientVersion {
  if (handshake.networkId !== expected.networkId) {
    throw new HandshakeError('WRONG_NETWORK', `the node is on network ${handshake.networkId}`);
  }
  const ahead = handshake.myTime - expected.nowSeconds;
  if ((ahead < 0n ? -ahead : ahead) > BigInt(MAX_CLOCK_DIFFERENCE_SECONDS)) {
    throw new HandshakeError('CLOCK_DIFFERENCE', `the clocks differ by ${ahead} seconds`);
  }
  const client = checkClient(handshake, expected);
  checkSubnets(handshake);
  checkAcps(handshake);
  checkKnownPeers(handshake.knownPeers);
  checkIp(handshake, expected);
  return client;
}

function checkClient(
  { client }: Handshake,
  { maximumMajor, minimumVersion }: HandshakeExpectations,
): ClientVersion {
  if (client === undefined) {
    throw new HandshakeError('INVALID_CLIENT', 'the node names no version');
  }
  if (client.name.length > MAX_CLIENT_NAME_LENGTH) {
    throw new HandshakeError('INVALID_CLIENT', `a client's name of ${client.name.length} characters`);
  }
  const isTooNew = maximumMajor !== undefined && client.major > maximumMajor;
  if (isTooNew || (minimumVersion !== undefined && compareVersions(client, minimumVersion) < 0)) {
    throw new HandshakeError(
      'INCOMPATIBLE_VERSION',
      `version ${client.major}.${client.minor}.${client.patch}`,
    );
  }
  return { name: client.name, major: client.major, minor: client.minor, patch: client.patch };
}

/** Negative, zero or positive as the first version is lower than, equal to or higher than the second. */
export function compareVersions(a: Omit<ClientVersion, 'name'>, b: Omit<ClientVersion, 'name'>): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}

function checkSubnets({ trackedSubnets }: Handshake): void {
  if (trackedSubnets.length > MAX_TRACKED_SUBNETS) {
    throw new HandshakeError('INVALID_SUBNETS', `the node tracks ${trackedSubnets.length} subnets`);
  }
  if (trackedSubnets.some((id) => id.length !== ID_LENGTH)) {
    throw new HandshakeError('INVALID_SUBNETS', 'a subnet id is not 32 bytes long');
  }
}

function checkAcps({ supportedAcps, objectedAcps }: Handshake): void {
  const count = supportedAcps.length + objectedAcps.length;
  if (count > MAX_ACPS) {
    throw new HandshakeError('TOO_MANY_ACPS', `the node names ${count} ACPs`);
  }
  if (supportedAcps.some((acp) => objectedAcps.includes(acp))) {
    throw new HandshakeError('CONFLICTING_ACPS', 'the node supports and objects to the same ACP');
  }
}

function checkKnownPeers(knownPeers: BloomFilterMessage | undefined): void {
  if (knownPeers === undefined) {
    return;
  }
  try {
    parseKnownPeers(knownPeers);
  } catch (cause) {
    throw new HandshakeError('INVALID_KNOWN_PEERS', 'the filter of known peers is invalid', { cause });
  }
}

/**
 * The filter of a Handshake or GetPeerList.
 * Throws P2pError `INVALID_BLOOM_FILTER`.
 */
export function parseKnownPeers({ filter, salt }: BloomFilterMessage): {
  filter: BloomFilter;
  salt: Uint8Array;
} {
  if (salt.length > MAX_BLOOM_SALT_BYTES) {
    throw new P2pError('INVALID_BLOOM_FILTER', `a salt of ${salt.length} bytes`);
  }
  return { filter: BloomFilter.fromBytes(filter), salt };
}

function checkIp(handshake: Handshake, expected: HandshakeExpectations): void {
  const { ipAddr: ip, ipPort: port, ipSigningTime: timestampSeconds } = handshake;
  if (port === 0 || timestampSeconds > expected.nowSeconds + BigInt(MAX_CLOCK_DIFFERENCE_SECONDS)) {
    throw new HandshakeError('INVALID_IP', `port ${port}, signed at ${timestampSeconds}`);
  }
  const bytes = packIp({ ip, port, timestampSeconds });
  if (!verifyTlsSignature(expected.publicKey, bytes, handshake.ipNodeIdSig)) {
    throw new HandshakeError('INVALID_IP_SIGNATURE', 'the TLS key did not sign the address');
  }
  if (handshake.ipBlsSig.length !== SIGNATURE_BYTES) {
    throw new HandshakeError('INVALID_IP_SIGNATURE', 'the BLS signature is no signature');
  }
}

function packIp(address: { ip: Uint8Array; port: number; timestampSeconds: bigint }): Uint8Array {
  try {
    return packUnsignedIp(address);
  } catch (cause) {
    throw new HandshakeError('INVALID_IP', 'the address is not one', { cause });
  }
}
