import { fromHex, toHex } from '../../../avalanche/ids/hex.js';
import { idFromString } from '../../../avalanche/ids/id.js';
import { nodeIdToString } from '../../../avalanche/ids/node-id.js';
import { unpackAddress } from '../../../avalanche/ids/address.js';
import type { Id } from '../../../avalanche/platformvm/ids.js';
import type { StateSnapshot } from '../../../avalanche/platformvm/state/p-chain-state.js';
import type { Delegator, L1Validator, Validator } from '../../../avalanche/platformvm/state/records.js';
import type {
  CurrentValidator,
  L1Validator as NodeL1Validator,
  StakerValidator,
} from '../../../avalanche/rpc/platform-schemas.js';
import type { Owner } from '../../../avalanche/rpc/schemas.js';
import type { Differences } from '../../engine/audit/differences.js';

/** A fee in millionths as the node prints it, in percent. */
const SHARES_PER_PERCENT = 10_000;

type NodeDelegator = NonNullable<StakerValidator['delegators']>[number];

/** All that validate one subnet now, by the id of their transaction or validation. */
export function compareValidators(
  differences: Differences,
  subnetId: Id,
  state: StateSnapshot,
  answer: readonly CurrentValidator[],
): void {
  const stakers = new Map<string, Validator>();
  for (const staker of state.stakers) {
    const isCurrent =
      staker.kind === 'validator' && staker.status === 'active' && staker.subnetId === subnetId;
    if (isCurrent) stakers.set(staker.txId, staker);
  }
  const l1 = new Map<string, L1Validator>();
  for (const validator of state.l1Validators) {
    if (validator.subnetId === subnetId && validator.weight > 0n) l1.set(validator.validationId, validator);
  }
  const nodeStakers = new Map<string, StakerValidator>();
  const nodeL1 = new Map<string, NodeL1Validator>();
  for (const validator of answer) {
    if (validator.kind === 'l1') nodeL1.set(hexOf(validator.validationId), validator);
    else nodeStakers.set(hexOf(validator.txId), validator);
  }
  differences.compareMaps('validator', stakers, nodeStakers, (what, ours, theirs) =>
    compareStaker(differences, what, ours, theirs),
  );
  const { accruedFees } = state.tip;
  differences.compareMaps('L1 validator', l1, nodeL1, (what, ours, theirs) =>
    compareL1Validator(differences, what, ours, theirs, accruedFees),
  );
}

/** The running delegations of one validation. */
export function compareDelegators(
  differences: Differences,
  validator: Validator,
  state: StateSnapshot,
  answer: readonly CurrentValidator[],
): void {
  const ours = new Map<string, Delegator>();
  for (const staker of state.stakers) {
    const isRunning =
      staker.kind === 'delegator' && staker.status === 'active' && staker.validatorTxId === validator.txId;
    if (isRunning) ours.set(staker.txId, staker);
  }
  const theirs = new Map<string, NodeDelegator>();
  for (const candidate of answer) {
    if (candidate.kind !== 'staker' || hexOf(candidate.txId) !== validator.txId) continue;
    for (const delegator of candidate.delegators ?? []) theirs.set(hexOf(delegator.txId), delegator);
  }
  differences.compareMaps('delegator', ours, theirs, (what, delegator, other) => {
    differences.compare(`${what} start`, delegator.start, other.startTimestampSeconds);
    differences.compare(`${what} end`, delegator.end, other.endTimestampSeconds);
    differences.compare(`${what} weight`, delegator.weight, other.weight);
    differences.compare(`${what} potentialReward`, delegator.potentialReward, other.potentialReward);
    differences.compare(
      `${what} rewardOwner`,
      describeOwner(delegator.rewardsOwner),
      describeNodeOwner(other.rewardOwner),
    );
  });
}

function compareStaker(
  differences: Differences,
  what: string,
  ours: Validator,
  theirs: StakerValidator,
): void {
  const compare = (
    field: string,
    database: Parameters<Differences['compare']>[1],
    node: typeof database,
  ): void => differences.compare(`${what} ${field}`, database, node);
  compare('nodeID', nodeIdToString(fromHex(ours.nodeId)), theirs.nodeId);
  compare('start', ours.start, theirs.startTimestampSeconds);
  compare('end', ours.end, theirs.endTimestampSeconds);
  compare('weight', ours.weight, theirs.weight);
  if (ours.isPermissioned) return;
  compare('potentialReward', ours.potentialReward, theirs.potentialReward);
  compare('accruedDelegateeReward', ours.delegateeReward, theirs.accruedDelegateeReward);
  compare('delegationFee', ours.shares, shares(theirs.delegationFeePercentage));
  compare(
    'validationRewardOwner',
    describeOwner(ours.validationRewardsOwner),
    describeNodeOwner(theirs.validationRewardOwner),
  );
  compare(
    'delegationRewardOwner',
    describeOwner(ours.delegationRewardsOwner),
    describeNodeOwner(theirs.delegationRewardOwner),
  );
  if (theirs.delegatorCount !== undefined) {
    compare('delegatorCount', BigInt(ours.delegatorCount), theirs.delegatorCount);
  }
  if (theirs.delegatorWeight !== undefined) {
    compare('delegatorWeight', ours.delegatedWeight, theirs.delegatorWeight);
  }
  compare('publicKey', hexOrNothing(ours.signer?.publicKey), hexOrNothing(theirs.signer?.publicKey));
  const { autoRenewal } = ours;
  compare(
    'validatorAuthority',
    describeOwner(autoRenewal?.authority ?? null),
    describeNodeOwner(theirs.validatorAuthority),
  );
  if (autoRenewal === null) return;
  compare('nextPeriod', BigInt(autoRenewal.nextPeriod), theirs.nextPeriod);
  compare('autoCompoundRewardShares', autoRenewal.autoCompoundShares, theirs.autoCompoundRewardShares);
}

function compareL1Validator(
  differences: Differences,
  what: string,
  ours: L1Validator,
  theirs: NodeL1Validator,
  accruedFees: bigint,
): void {
  const balance = ours.endAccumulatedFee === 0n ? 0n : ours.endAccumulatedFee - accruedFees;
  differences.compare(`${what} nodeID`, nodeIdToString(fromHex(ours.nodeId)), theirs.nodeId);
  differences.compare(`${what} start`, ours.start, theirs.startTimestampSeconds);
  differences.compare(`${what} weight`, ours.weight, theirs.weight);
  differences.compare(`${what} balance`, balance, theirs.balance);
  differences.compare(`${what} minNonce`, ours.minNonce, theirs.minNonce);
  differences.compare(`${what} publicKey`, toHex(ours.publicKey), toHex(theirs.publicKey));
  differences.compare(
    `${what} remainingBalanceOwner`,
    describeOwner({ locktime: 0n, ...ours.remainingBalanceOwner }),
    describeNodeOwner(theirs.remainingBalanceOwner),
  );
  differences.compare(
    `${what} deactivationOwner`,
    describeOwner({ locktime: 0n, ...ours.deactivationOwner }),
    describeNodeOwner(theirs.deactivationOwner),
  );
}

function shares(percentage: number | undefined): number | undefined {
  return percentage === undefined ? undefined : Math.round(percentage * SHARES_PER_PERCENT);
}

function hexOf(id: string): Id {
  return toHex(idFromString(id));
}

function hexOrNothing(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : toHex(bytes);
}

interface AnyOwner {
  readonly locktime: bigint;
  readonly threshold: number;
  readonly addresses: readonly string[];
}

function describeOwner(owner: AnyOwner | null): string | undefined {
  return owner === null ? undefined : `${owner.locktime}/${owner.threshold}/${owner.addresses.join('+')}`;
}

function describeNodeOwner(owner: Owner | undefined): string | undefined {
  if (owner === undefined) return undefined;
  return describeOwner({
    ...owner,
    addresses: owner.addresses.map((text) => toHex(unpackAddress(text).bytes)),
  });
}
