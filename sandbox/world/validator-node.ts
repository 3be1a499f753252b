import { createECDH, createPrivateKey } from 'node:crypto';
import { nodeIdFromCertificate, nodeIdToString } from '../../src/avalanche/ids/node-id.js';
import { makeStakingCertificate, toPem } from '../../src/avalanche/p2p/peer/certificate.js';
import { TlsIdentity } from '../../src/avalanche/p2p/peer/tls-identity.js';
import { deriveSecret } from '../derived-keys.js';
import type { SigningStock, ValidatorSigner } from '../signer.js';

/** Identity of a simulated node; equal seeds make equal nodes. */
export class NodeIdentity {
  readonly nodeId: string;
  private readonly certificate: Uint8Array;
  private made: TlsIdentity | undefined;

  constructor(
    /** Position among the validators; undefined for the node that only serves JSON-RPC. */
    readonly index: number | undefined,
    private readonly tlsSecret: Uint8Array,
    readonly signer: ValidatorSigner,
  ) {
    this.certificate = makeStakingCertificate(tlsSecret);
    this.nodeId = nodeIdToString(nodeIdFromCertificate(this.certificate));
  }

  /** Made when it is needed: a thousand node ids at the start are enough to do. */
  get tls(): TlsIdentity {
    this.made ??= TlsIdentity.fromPem(
      toPem('CERTIFICATE', this.certificate),
      toPrivateKeyPem(this.tlsSecret),
    );
    return this.made;
  }
}

/** Key of the node that serves JSON-RPC: as far behind the validators' as no sandbox reaches. */
const API_NODE_KEY_INDEX = 1_000_000;
/** Key of the validator that the sandbox's L1 began with and then removed. */
export const RETIRED_KEY_INDEX = 1_000_001;

/** The identity of validator `index`; `keyIndex` differs from it where two nodes share a BLS key. */
export function deriveValidatorNode(
  { seed, stock }: { seed: string; stock: SigningStock },
  index: number,
  keyIndex = index,
): NodeIdentity {
  return new NodeIdentity(index, deriveSecret(seed, 'tls', index), stock.signerOf(keyIndex));
}

export function deriveApiNode({ seed, stock }: { seed: string; stock: SigningStock }): NodeIdentity {
  return new NodeIdentity(undefined, deriveSecret(seed, 'tls', 'api'), stock.signerOf(API_NODE_KEY_INDEX));
}

/** By OpenSSL, which derives the public key twenty times faster than the library that makes the certificate. */
function toPrivateKeyPem(secret: Uint8Array): string {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(secret);
  const publicKey = ecdh.getPublicKey(); // 04, x, y
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: Buffer.from(secret).toString('base64url'),
      x: publicKey.subarray(1, 33).toString('base64url'),
      y: publicKey.subarray(33).toString('base64url'),
    },
  });
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
