import { Injectable } from '@nestjs/common';
import { toHex } from '../../avalanche/ids/hex.js';
import { PRIMARY_NETWORK_ID } from '../../avalanche/ids/id.js';
import { percentageOf } from '../../avalanche/signature-aggregation/aggregation.error.js';
import type { ValidatorSetEntry } from '../../avalanche/warp/canonical-validator-set.js';
import { notFound } from '../../platform/http/errors/api-error.js';
import { NetworkError } from '../../platform/networks/network.error.js';
import type { Network, ValidatorSetAtHeight } from '../../platform/networks/network.js';
import { Networks } from '../../platform/networks/networks.module.js';
import type { ListedL1Validator } from '../../platform/networks/p-chain-view.js';
import {
  type ObservedSigner,
  SignerObservationRepository,
} from '../signature-aggregator/observe/signer-observation.repository.js';
import type { SubnetParameter } from './dto/signers.request.js';
import type { SignerResponse, SignersResponse, SignerState } from './dto/signers.response.js';
import {
  byWeight,
  QUORUM_PERCENTAGE,
  type Signer,
  type SigningOutlook,
  signingOutlook,
} from './signing-outlook.js';
import { DAY_SECONDS } from '../../platform/time.js';

/** Earlier signatures are no sign that a validator signs now. */
const RECENT_SECONDS = DAY_SECONDS;

interface Known {
  readonly observed: ReadonlyMap<string, ObservedSigner>;
  readonly l1: ReadonlyMap<string, ListedL1Validator>;
  /** nAVAX per second. */
  readonly price: bigint;
  readonly poor: ReadonlySet<string>;
}

/** Who of a subnet would sign now, from what the processes with connections have recorded. */
@Injectable()
export class SignersService {
  constructor(
    private readonly networks: Networks,
    private readonly observations: SignerObservationRepository,
  ) {}

  async get({ network: name, subnetId }: SubnetParameter): Promise<SignersResponse> {
    const network = this.networks.byName(name);
    const at = await findSet(network, subnetId);
    if (at === undefined) return toResponse(subnetId, 0n, 0n, [], signingOutlook([], 0n));
    const [entries, known] = await Promise.all([
      network.pChain.getValidatorsAt(subnetId, at.pChainHeight),
      this.findKnown(network, at),
    ]);
    const validators = entries
      .map((entry) => ({ nodeIds: [entry.nodeId], weight: entry.weight, entry }))
      .sort(byWeight)
      .map(({ entry }) => toSigner(entry, at.set.totalWeight, known));
    const outlook = signingOutlook(signersOf(at, validators), at.set.totalWeight);
    return toResponse(subnetId, at.pChainHeight, at.set.totalWeight, validators, outlook);
  }

  private async findKnown(network: Network, at: ValidatorSetAtHeight): Promise<Known> {
    const isL1 = at.subnetId !== PRIMARY_NETWORK_ID;
    const [observed, l1, price, excluded] = await Promise.all([
      this.observations.list(network.name, at.subnetId),
      isL1 ? network.pChain.listL1Validators(at.subnetId) : [],
      isL1 ? network.pChain.getValidatorPrice() : 0n,
      network.getExcludedSigners(at),
    ]);
    const poor = at.set.validators.filter((_, index) => excluded.has(index));
    return {
      observed: new Map(observed.map((signer) => [signer.nodeId, signer])),
      l1: new Map(l1.map((validator) => [validator.nodeId, validator])),
      price,
      poor: new Set(poor.flatMap(({ nodeIds }) => nodeIds)),
    };
  }
}

/** Undefined for a subnet without validators. */
async function findSet(network: Network, subnetId: string): Promise<ValidatorSetAtHeight | undefined> {
  try {
    return await network.getValidatorSet({ subnetId, pChainHeight: 0n });
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    if (error.code === 'EMPTY_VALIDATOR_SET') return undefined;
    if (error.code === 'UNKNOWN_SUBNET') {
      throw notFound(`subnetId: unknown subnet ${subnetId} on ${network.name}`);
    }
    throw error;
  }
}

function signersOf({ set }: ValidatorSetAtHeight, validators: readonly SignerResponse[]): Signer[] {
  const states = new Map(validators.map(({ nodeId, state }) => [nodeId, state]));
  return set.validators.map(({ nodeIds, weight }) => {
    const all = nodeIds.map((nodeId) => states.get(nodeId));
    const isProven = all.includes('signing');
    return { nodeIds, weight, isProven, canSign: isProven || all.includes('untested') };
  });
}

function toSigner(
  { nodeId, publicKey, weight }: ValidatorSetEntry,
  totalWeight: bigint,
  { observed, l1, price, poor }: Known,
): SignerResponse {
  const seen = observed.get(nodeId);
  const validation = l1.get(nodeId);
  const [state, cause] = judge(publicKey !== null, poor.has(nodeId), seen);
  return {
    ...(nodeId === '' ? {} : { nodeId }),
    ...(validation && { validationId: validation.validationId }),
    weight: weight.toString(),
    percentage: percentageOf(weight, totalWeight),
    ...(publicKey === null ? {} : { publicKey: toHex(publicKey) }),
    state,
    ...(cause === undefined ? {} : { cause }),
    ...(seen?.isFresh === true ? { connectionSince: Math.floor(seen.since) } : {}),
    ...(seen?.version == null ? {} : { version: seen.version }),
    addresses: [...(seen?.addresses ?? [])],
    ...(seen?.answeredAt == null
      ? {}
      : { lastAnswer: { timestamp: Math.floor(seen.answeredAt), latencyMs: seen.latencyMs ?? 0 } }),
    ...(seen?.refusedAt == null
      ? {}
      : { lastRefusal: { timestamp: Math.floor(seen.refusedAt), message: seen.refusal ?? '' } }),
    ...(seen?.wrongKeyAt == null ? {} : { wrongKeyAt: Math.floor(seen.wrongKeyAt) }),
    ...(validation && balanceOf(validation, price)),
  };
}

function balanceOf({ balance }: ListedL1Validator, price: bigint): Partial<SignerResponse> {
  const lasts = price === 0n ? undefined : Number(balance / price);
  const until = lasts === undefined ? undefined : Math.floor(Date.now() / 1_000) + lasts;
  const isShown = until !== undefined && Number.isSafeInteger(until);
  return { balance: balance.toString(), ...(isShown ? { balanceLastsUntil: until } : {}) };
}

function judge(
  hasKey: boolean,
  isPoor: boolean,
  seen: ObservedSigner | undefined,
): [SignerState, string | undefined] {
  if (!hasKey) return ['no_key', 'it has no BLS key, or is not active'];
  if (isPoor) return ['no_balance', 'the balance of its validation has run out, or is about to'];
  if (seen?.isFresh !== true) return ['not_observed', 'no process has tried to connect to it lately'];
  if (!seen.connected) return ['unreachable', `not connected (${seen.connection})`];
  if (seen.wrongKeyAt !== null) {
    return ['wrong_key', 'its signature does not verify against the registered key'];
  }
  const { answeredAt, refusedAt, signedAt } = seen;
  if (seen.isOwnRefusal === true && (refusedAt ?? 0) > Math.max(answeredAt ?? 0, signedAt ?? 0)) {
    return ['failing', seen.refusal ?? undefined];
  }
  const isRecent = signedAt !== null && Date.now() / 1_000 - signedAt < RECENT_SECONDS;
  return [isRecent ? 'signing' : 'untested', undefined];
}

function toResponse(
  subnetId: string,
  pChainHeight: bigint,
  totalWeight: bigint,
  validators: SignerResponse[],
  outlook: SigningOutlook,
): SignersResponse {
  const nodeIds = outlook.indispensable.flatMap((signer) => signer.nodeIds);
  return {
    subnetId,
    pChainHeight: pChainHeight.toString(),
    totalWeight: totalWeight.toString(),
    quorumPercentage: QUORUM_PERCENTAGE,
    signingPercentage: percentageOf(outlook.signingWeight, totalWeight),
    provenPercentage: percentageOf(outlook.provenWeight, totalWeight),
    isQuorumMet: outlook.isQuorumMet,
    losses: { count: outlook.indispensable.length, nodeIds },
    validators,
  };
}
