import { TlsIdentity } from '../../avalanche/p2p/tls-identity.js';
import { deriveSecret } from '../derived-keys.js';
import type { SigningStock, ValidatorSigner } from '../signer.js';

/** Who a simulated node is; equal seeds make equal nodes. */
export interface NodeIdentity {
  /** Position among the validators; undefined for the node that only serves JSON-RPC. */
  readonly index: number | undefined;
  readonly nodeId: string;
  readonly tls: TlsIdentity;
  readonly signer: ValidatorSigner;
}

/** Key of the node that serves JSON-RPC: as far behind the validators' as no sandbox reaches. */
export const API_NODE_KEY_INDEX = 1_000_000;
/** Key of the validator that the sandbox's L1 began with and then removed. */
export const RETIRED_KEY_INDEX = 1_000_001;

/** The identity of validator `index`; `keyIndex` differs from it where two nodes share a BLS key. */
export function deriveValidatorNode(
  { seed, stock }: { seed: string; stock: SigningStock },
  index: number,
  keyIndex = index,
): NodeIdentity {
  return nodeOf(index, deriveSecret(seed, 'tls', index), stock.signerOf(keyIndex));
}

export function deriveApiNode({ seed, stock }: { seed: string; stock: SigningStock }): NodeIdentity {
  return nodeOf(undefined, deriveSecret(seed, 'tls', 'api'), stock.signerOf(API_NODE_KEY_INDEX));
}

function nodeOf(index: number | undefined, tlsSecret: Uint8Array, signer: ValidatorSigner): NodeIdentity {
  const tls = TlsIdentity.fromSecret(tlsSecret);
  return { index, nodeId: tls.nodeId, tls, signer };
}
