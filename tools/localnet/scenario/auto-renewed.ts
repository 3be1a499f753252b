import type { Id } from '../../../src/avalanche/platformvm/ids.js';
import type { OutputOwners, TransferableOutput } from '../../../src/avalanche/platformvm/output.js';
import type { Utxo } from '../../../src/avalanche/platformvm/codec/utxo.js';
import type { UnsignedTx } from '../../../src/avalanche/platformvm/transaction.js';
import { FEE, type Scenario } from './context.js';
import type { Identity } from './identities.js';
import { ownedBy } from './signing-key.js';
import { sortOutputs } from './spend.js';
import type { Funded, Order } from './wallet.js';
import { AVAX } from '../../../src/avalanche/platformvm/state/chain-rules.js';

interface OrderAndMaker {
  readonly order: Order;
  readonly make: (funded: Funded) => UnsignedTx;
}

/** Settings that may be changed while it validates; they hold from the next cycle on. */
export interface RenewalConfig {
  /** Seconds per cycle; 0 leaves at the end of the current one. */
  readonly period: number;
  /** Millionths of the rewards that are staked again. */
  readonly autoCompoundShares: number;
}

export interface AutoRenewedOptions extends RenewalConfig {
  readonly stake?: bigint;
  /** A UTXO that may only be staked, and is so besides. */
  readonly lockedStake?: Utxo | undefined;
  /** Of the delegations' rewards, millionths. */
  readonly shares?: number;
  readonly validationRewardsOwner?: OutputOwners;
  readonly delegationRewardsOwner?: OutputOwners;
  /** Who may reconfigure it. */
  readonly authority?: OutputOwners;
}

/** Adds a validator that renews itself. Since Helicon. */
export function autoRenewedValidator(
  { wallet, people }: Pick<Scenario, 'wallet' | 'people'>,
  { nodeId, signer }: Identity,
  options: AutoRenewedOptions,
): OrderAndMaker {
  const { period, autoCompoundShares, lockedStake, shares = 20_000 } = options;
  const funded = ownedBy([people.funded]);
  const ordinary = wallet.output(options.stake ?? 2_000n * AVAX, funded);
  const stake = sortOutputs(lockedStake === undefined ? [ordinary] : [ordinary, outputLike(lockedStake)]);
  return {
    order: { burn: FEE, covered: stake, mustSpend: lockedStake === undefined ? [] : [lockedStake] },
    make: ({ base }) => ({
      type: 'AddAutoRenewedValidator',
      ...base,
      nodeId,
      signer,
      stake,
      shares,
      autoCompoundShares,
      period: BigInt(period),
      validationRewardsOwner: options.validationRewardsOwner ?? funded,
      delegationRewardsOwner: options.delegationRewardsOwner ?? funded,
      validatorAuthority: options.authority ?? funded,
    }),
  };
}

/** Reconfigures it. */
export function renewalConfig(
  validator: { readonly txId: Id; readonly authority: OutputOwners },
  { period, autoCompoundShares }: RenewalConfig,
): OrderAndMaker {
  return {
    order: { burn: FEE, authorizedBy: validator.authority },
    make: ({ base, auth }) => ({
      type: 'SetAutoRenewedValidatorConfig',
      ...base,
      stakerTxId: validator.txId,
      auth,
      autoCompoundShares,
      period: BigInt(period),
    }),
  };
}

function outputLike({ assetId, output }: Utxo): TransferableOutput {
  return { assetId, ...output };
}
