import type {
  AggregateSignaturesInput,
  ResolvedValidatorSet,
} from '../../../../workflows/contracts/aggregate-signatures.js';
import type { Network, ValidatorSetAtHeight } from '../../../platform/networks/network.js';

type SigningSetOfRequest = Pick<AggregateSignaturesInput, 'sourceBlockchainId' | 'pChainHeight'> & {
  signingSubnetId?: string | undefined;
};

/** The validators that a request asks, as `Network.getSigningSet` finds them. */
export async function findSigningSet(
  network: Network,
  { sourceBlockchainId, signingSubnetId, pChainHeight }: SigningSetOfRequest,
): Promise<ValidatorSetAtHeight> {
  return network.getSigningSet({ sourceBlockchainId, signingSubnetId, pChainHeight: BigInt(pChainHeight) });
}

export function describeSet({ subnetId, pChainHeight, set }: ValidatorSetAtHeight): ResolvedValidatorSet {
  return {
    signingSubnetId: subnetId,
    pChainHeight: pChainHeight.toString(),
    validatorSetDigest: set.digest,
    validatorCount: set.validators.length,
    totalWeight: set.totalWeight.toString(),
  };
}
