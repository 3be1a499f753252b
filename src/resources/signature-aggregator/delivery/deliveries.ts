import { Injectable } from '@nestjs/common';
import type { AggregateSignaturesInput } from '../../../../workflows/contracts/aggregate-signatures.js';
import { fromHex } from '../../../avalanche/ids/hex.js';
import type { Epoch } from '../../../avalanche/rpc/proposer-vm-client.js';
import { percentageOf } from '../../../avalanche/signature-aggregation/aggregation.error.js';
import { unpackBitSet } from '../../../avalanche/warp/bit-set.js';
import { unpackMessage } from '../../../avalanche/warp/message.js';
import { packPredicate, predicateGas } from '../../../avalanche/warp/predicate.js';
import { WARP_PRECOMPILE_ADDRESS } from '../../../avalanche/warp/send-warp-log.js';
import { verifyMessage, WarpVerificationError } from '../../../avalanche/warp/verify-message.js';
import { DEFAULT_QUORUM_NUMERATOR, QUORUM_DENOMINATOR } from '../../../avalanche/warp/warp-rules.js';
import type { Network, ValidatorSetAtHeight } from '../../../platform/networks/network.js';
import type { DeliveryResponse, VerificationResponse } from './delivery.response.js';
import { EpochHeights } from '../message/epoch-heights.js';
import { epochSeconds } from '../message/validators-epochs.js';
import { P_CHAIN_ID, ReceivingChains } from './receiving-chains.js';

/** All that is needed to deliver a signed message, and whether the receiving chain would accept it now. */
@Injectable()
export class Deliveries {
  constructor(
    private readonly chains: ReceivingChains,
    private readonly epochs: EpochHeights,
  ) {}

  async describe(
    network: Network,
    input: AggregateSignaturesInput,
    { signedMessage, destinationBlockchainId }: { signedMessage: string; destinationBlockchainId: string },
  ): Promise<DeliveryResponse> {
    const { sourceBlockchainId } = input;
    const passage = { sourceBlockchainId, destinationBlockchainId };
    const [epoch, subnetId, rules, networkId] = await Promise.all([
      this.epochs.get(network, destinationBlockchainId),
      this.chains.findSigningSubnet(network, passage),
      this.chains.findRules(network, destinationBlockchainId),
      network.getNetworkId(),
    ]);
    const { pChainHeight } = epoch;
    const signingSubnetId =
      subnetId ?? input.signingSubnetId ?? (await network.getSubnetOf(sourceBlockchainId));
    // The epoch may have begun since the message was asked for.
    await this.epochs.assertReached(network, { subnetId: signingSubnetId, pChainHeight });
    const at = await network.getValidatorSet({ subnetId: signingSubnetId, pChainHeight });
    const quorumNumerator = rules?.quorumNumerator ?? DEFAULT_QUORUM_NUMERATOR;
    const bytes = fromHex(signedMessage);
    const verification = verify(bytes, { networkId, at, quorumNumerator });
    return {
      destinationBlockchainId,
      signingSubnetId: at.subnetId,
      pChainHeight: at.pChainHeight.toString(),
      ...(epoch.number === 0n ? {} : { epoch: describeEpoch(epoch, networkId) }),
      ...(destinationBlockchainId === P_CHAIN_ID ? {} : describeCall(bytes, verification.signers)),
      verification,
    };
  }
}

function describeEpoch({ number, startTimestampSeconds }: Epoch, networkId: number) {
  return {
    number: number.toString(),
    startTimestamp: startTimestampSeconds,
    endTimestamp: startTimestampSeconds + epochSeconds(networkId),
  };
}

function describeCall(bytes: Uint8Array, signers: number) {
  const storageKeys = packPredicate(bytes);
  return {
    accessList: [{ address: WARP_PRECOMPILE_ADDRESS, storageKeys }],
    predicateGas: predicateGas({ words: storageKeys.length, signers }),
  };
}

/** The receiving chain's own check. */
function verify(
  bytes: Uint8Array,
  check: { networkId: number; at: ValidatorSetAtHeight; quorumNumerator: number },
): VerificationResponse {
  const { networkId, at, quorumNumerator } = check;
  const message = unpackMessage(bytes);
  const validatorSet = at.set;
  const places = unpackBitSet(message.signature.signers);
  const signedWeight = places.reduce(
    (sum, place) => sum + (validatorSet.validators[place]?.weight ?? 0n),
    0n,
  );
  const numbers = {
    signers: places.length,
    signedWeight: signedWeight.toString(),
    totalWeight: validatorSet.totalWeight.toString(),
    signedPercentage: percentageOf(signedWeight, validatorSet.totalWeight),
    quorumNumerator,
    quorumDenominator: QUORUM_DENOMINATOR,
  };
  try {
    verifyMessage({
      message,
      networkId,
      validatorSet,
      quorumNumerator,
      quorumDenominator: QUORUM_DENOMINATOR,
    });
    return { isAccepted: true, ...numbers };
  } catch (error) {
    if (!(error instanceof WarpVerificationError)) throw error;
    return { isAccepted: false, reason: error.message, ...numbers };
  }
}
