import { toHex } from '../../../src/avalanche/ids/hex.js';
import { PRIMARY_NETWORK, type Id } from '../../../src/avalanche/platformvm/ids.js';
import { toText } from '../scenario/wallet.js';
import { readEpochHeight, type ReceivingChain } from './receiving-chain.js';

/** Request to a signature aggregator. */
interface SignatureRequest {
  readonly message: string;
  readonly justification?: string;
  readonly signingSubnetId?: string;
  readonly pChainHeight: number;
}

/** Resolves with the signed message. */
export type Aggregate = (request: SignatureRequest) => Promise<Uint8Array>;

/** A Warp message on its way. */
export interface Passage {
  readonly unsignedMessage: Uint8Array;
  readonly justification?: Uint8Array | undefined;
  /** Of the chain that sent it. */
  readonly sourceSubnetId: Id;
  readonly receiver: ReceivingChain;
}

/** Has the message signed by those, and as of the height, with which the receiver will verify it. */
export async function signFor(passage: Passage, aggregate: Aggregate): Promise<Uint8Array> {
  const { unsignedMessage, justification, receiver } = passage;
  return aggregate({
    message: toHex(unsignedMessage),
    ...(justification === undefined ? {} : { justification: toHex(justification) }),
    signingSubnetId: toText(signingSubnetOf(passage)),
    pChainHeight: Number(await readEpochHeight(receiver)),
  });
}

/** An EVM chain trusts its own validators about messages of the primary network's chains, which all of them follow. */
function signingSubnetOf({ sourceSubnetId, receiver }: Passage): Id {
  return sourceSubnetId === PRIMARY_NETWORK ? receiver.subnetId : sourceSubnetId;
}
