import { randomBytes } from 'node:crypto';
import { bls, type BlsSecretKey } from '../../bls/bls.js';
import type { Handshake } from '../../proto/generated/p2p_pb.js';
import { makeHandshake, signIp, type ClientVersion, type SignedIp } from './handshake.js';
import { IPV4_BYTES } from './signed-ip.js';
import type { TlsIdentity } from './tls-identity.js';

/** We accept no connections, so we claim no address; zero is the one port that nodes refuse. */
const UNSPECIFIED_IP = new Uint8Array(IPV4_BYTES);
const UNUSED_PORT = 1;

export interface GreetingOptions {
  networkId: number;
  identity: TlsIdentity;
  clientVersion: ClientVersion;
  trackedSubnets: readonly Uint8Array[];
  upgradeTimeSeconds: bigint;
}

/** What we say about ourselves at the start of every connection. */
export class Greeting {
  clientVersion: ClientVersion;
  private readonly signedIp: SignedIp;

  constructor(private readonly options: GreetingOptions) {
    this.clientVersion = options.clientVersion;
    const address = { ip: UNSPECIFIED_IP, port: UNUSED_PORT, timestampSeconds: unixSeconds() };
    this.signedIp = signIp(address, options.identity, makeRandomSecretKey());
  }

  makeHandshake(knownPeers: { filter: Uint8Array; salt: Uint8Array } | undefined): Handshake {
    const { networkId, trackedSubnets, upgradeTimeSeconds } = this.options;
    return makeHandshake({
      networkId,
      trackedSubnets,
      upgradeTimeSeconds,
      nowSeconds: unixSeconds(),
      signedIp: this.signedIp,
      clientVersion: this.clientVersion,
      allSubnets: true,
      ...(knownPeers === undefined ? {} : { knownPeers }),
    });
  }

  /** The facts over which a node may have closed the connection; it never says which. */
  describe(): string {
    const { networkId, trackedSubnets, identity } = this.options;
    const { name, major, minor, patch } = this.clientVersion;
    const clock = new Date().toISOString();
    return (
      `${identity.nodeId} on network ${networkId}, ${name}/${major}.${minor}.${patch}, ` +
      `tracking ${trackedSubnets.length} subnets, clock ${clock}, certificate of ${identity.certDer.length} bytes`
    );
  }
}

function unixSeconds(): bigint {
  return BigInt(Math.floor(Date.now() / 1000));
}

/** Nodes take any key from a client that is no registered validator. */
function makeRandomSecretKey(): BlsSecretKey {
  const bytes = randomBytes(32);
  // Below the order of the group, which starts with 0x73.
  bytes[0] = (bytes[0] ?? 0) & 0x3f;
  return bls.secretKeyFromBytes(bytes);
}
