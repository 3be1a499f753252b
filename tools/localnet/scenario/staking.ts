import { PRIMARY_NETWORK, type Id, type ShortId } from '../../../src/avalanche/platformvm/ids.js';
import type { OutputOwners } from '../../../src/avalanche/platformvm/output.js';
import type { Utxo } from '../../../src/avalanche/platformvm/codec/utxo.js';
import { FEE, type Scenario } from './context.js';
import type { Identity } from './identities.js';
import { ownedBy } from './signing-key.js';
import { AVAX } from '../../../src/avalanche/platformvm/state/chain-rules.js';

const VALIDATOR_STAKE = 2_000n * AVAX;

export interface ValidationOptions {
  readonly seconds: number;
  readonly stake?: bigint;
  readonly validationRewardsOwner?: OutputOwners;
  readonly delegationRewardsOwner?: OutputOwners;
  /** Millionths. */
  readonly shares?: number;
}

/** Starts at once, as all do since Durango. Resolves with the transaction's id. */
export async function addValidator(
  scenario: Scenario,
  identity: Identity,
  options: ValidationOptions,
): Promise<Id> {
  const { wallet, people } = scenario;
  const { seconds, stake = VALIDATOR_STAKE, shares = 20_000 } = options;
  const funded = ownedBy([people.funded]);
  const stakeOutputs = [wallet.output(stake, funded)];
  return wallet.run({ burn: FEE, covered: stakeOutputs }, ({ base }) => ({
    type: 'AddPermissionlessValidator',
    ...base,
    validator: { ...windowFor(scenario, seconds), nodeId: identity.nodeId, weight: stake },
    subnetId: PRIMARY_NETWORK,
    signer: identity.signer,
    stake: stakeOutputs,
    validationRewardsOwner: options.validationRewardsOwner ?? funded,
    delegationRewardsOwner: options.delegationRewardsOwner ?? funded,
    shares,
  }));
}

export interface DelegationOptions {
  readonly seconds: number;
  readonly stake: bigint;
  readonly rewardsOwner?: OutputOwners;
  /** A UTXO that may only be staked, and is. */
  readonly lockedStake?: Utxo | undefined;
}

/** Issued, not yet accepted: several of them fit into one block. */
export async function issueDelegator(
  scenario: Scenario,
  nodeId: ShortId,
  options: DelegationOptions,
): Promise<Id> {
  const { wallet, people } = scenario;
  const { seconds, stake, lockedStake } = options;
  const funded = ownedBy([people.funded]);
  const stakeableLocktime = lockedStake?.output.stakeableLocktime ?? null;
  const stakeOutputs = [wallet.output(stake, lockedStake?.output.owners ?? funded, { stakeableLocktime })];
  const mustSpend = lockedStake === undefined ? [] : [lockedStake];
  return wallet.issue({ burn: FEE, covered: stakeOutputs, mustSpend }, ({ base }) => ({
    type: 'AddPermissionlessDelegator',
    ...base,
    validator: { ...windowFor(scenario, seconds), nodeId, weight: stake },
    subnetId: PRIMARY_NETWORK,
    stake: stakeOutputs,
    rewardsOwner: options.rewardsOwner ?? funded,
  }));
}

export async function addDelegator(
  scenario: Scenario,
  nodeId: ShortId,
  options: DelegationOptions,
): Promise<Id> {
  const txId = await issueDelegator(scenario, nodeId, options);
  await scenario.wallet.decided(txId);
  return txId;
}

/** From now on. The start matters before Durango only. */
export function windowFor({ now }: Pick<Scenario, 'now'>, seconds: number): { start: bigint; end: bigint } {
  const start = now();
  return { start, end: start + BigInt(seconds) };
}
