import { randomBytes } from 'node:crypto';
import { bls, type BlsSecretKey } from '../../bls/bls.js';
import type { Handshake } from '../../proto/generated/p2p_pb.js';
import { makeHandshake, signIp, type ClientVersion, type SignedIp } from './handshake.js';
import { IPV4_BYTES } from './signed-ip.js';
import type { TlsIdentity } from './tls-identity.js';

/** We accept no connections, so we claim no address; zero is the one port that nodes refuse. */
const UNSPECIFIED_IP = new Uint8Array(IPV4_BYTES);
const UNUSED_PORT = 1;

/** Nodes take any past time of signing, and none more than a minute ahead of their clock: ours may be a little ahead of theirs. */
const SIGNED_SECONDS_AGO = 300n;
const SIGN_AGAIN_AFTER_SECONDS = 3_600n;

export interface GreetingOptions {
  networkId: number;
  identity: TlsIdentity;
  clientVersion: ClientVersion;
}

/** Our side of the handshake at the start of every connection. */
export class Greeting {
  clientVersion: ClientVersion;
  private readonly blsSecretKey = makeRandomSecretKey();
  private signedIp: SignedIp | undefined;

  constructor(private readonly options: GreetingOptions) {
    this.clientVersion = options.clientVersion;
  }

  makeHandshake(knownPeers: { filter: Uint8Array; salt: Uint8Array } | undefined): Handshake {
    const nowSeconds = unixSeconds();
    return makeHandshake({
      networkId: this.options.networkId,
      trackedSubnets: [],
      nowSeconds,
      signedIp: this.signIpAt(nowSeconds),
      clientVersion: this.clientVersion,
      allSubnets: true,
      ...(knownPeers === undefined ? {} : { knownPeers }),
    });
  }

  /** Signed anew each hour, and when our clock was set back: it had been ahead, and nodes would refuse that time. */
  private signIpAt(nowSeconds: bigint): SignedIp {
    const timestampSeconds = nowSeconds - SIGNED_SECONDS_AGO;
    const age = timestampSeconds - (this.signedIp?.timestampSeconds ?? 0n);
    if (this.signedIp === undefined || age < 0n || age >= SIGN_AGAIN_AFTER_SECONDS) {
      const address = { ip: UNSPECIFIED_IP, port: UNUSED_PORT, timestampSeconds };
      this.signedIp = signIp(address, this.options.identity, this.blsSecretKey);
    }
    return this.signedIp;
  }

  /** The facts over which a node may have closed the connection; it never reports which. */
  describe(): string {
    const { networkId, identity } = this.options;
    const { name, major, minor, patch } = this.clientVersion;
    const clock = new Date().toISOString();
    return (
      `${identity.nodeId} on network ${networkId}, ${name}/${major}.${minor}.${patch}, ` +
      `clock ${clock}, certificate of ${identity.certDer.length} bytes`
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
