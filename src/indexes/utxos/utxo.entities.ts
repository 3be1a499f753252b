import { Check, Entity, Index } from 'typeorm';
import type { NetworkName } from '../../platform/config/config.module.js';
import { Owners } from './owners.js';
import type { RewardType } from '../../avalanche/platformvm/state/records.js';
import type { OutputKind } from './utxo.js';
import type { PrimaryChain } from '../../platform/database/chains.js';
import * as Column from '../../platform/database/columns.js';

/**
 * An output of any chain of a network. The creation's columns are empty while only the consumption is known (an import whose source
 * chain is not indexed), the consumption's while unspent; `createdOnChainId` is known to both. Pages have room for one later update
 * of their rows: no index covers what it changes, so it stays on its page and touches no index. `amount` is empty while only a
 * spender is known that does not name it; outputs of the X-chain's genesis are at height -1. `outputKind`, `groupId` and `payload`: of outputs
 * that hold no amount to be transferred.
 */
@Entity({ name: 'utxos' })
@Check(
  'utxos_output_kind',
  "output_kind IN ('mint', 'nft_mint', 'nft_transfer', 'property_mint', 'property_owned')",
)
export class UtxoEntity {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly utxoId!: string;
  @Column.Hex() readonly txId!: string;
  @Column.SafeInteger() readonly outputIndex!: number;
  @Column.Hex() readonly assetId!: string;
  @Column.Uint64({ nullable: true }) readonly amount!: bigint | null;
  @Column.Hex() readonly createdOnChainId!: string;
  @Column.Hex() readonly spendableOnChainId!: string;
  @Column.BigInteger({ nullable: true }) readonly blockHeight!: bigint | null;
  @Column.SafeInteger({ nullable: true }) readonly blockTime!: number | null;
  @Column.Uint64({ nullable: true }) readonly stakeableLocktime!: bigint | null;
  @Column.Flag({ default: false }) readonly isStakeOutput!: boolean;
  @Column.Flag({ name: 'staked', default: false }) readonly isStaked!: boolean;
  @Column.SafeInteger({ nullable: true }) readonly stakeStart!: number | null;
  @Column.SafeInteger({ nullable: true }) readonly stakeEnd!: number | null;
  @Column.Text({ nullable: true }) readonly rewardType!: RewardType | null;
  @Column.Hex({ nullable: true }) readonly consumingTxId!: string | null;
  @Column.BigInteger({ nullable: true }) readonly consumingBlockHeight!: bigint | null;
  @Column.SafeInteger({ nullable: true }) readonly consumingBlockTime!: number | null;
  @Column.Text({ nullable: true }) readonly outputKind!: OutputKind | null;
  @Column.SafeInteger({ nullable: true }) readonly groupId!: number | null;
  @Column.Bytes({ nullable: true }) readonly payload!: Uint8Array | null;
  @Column.Embedded(() => Owners, { nullable: true }) readonly owner!: Owners | null;
}

/** Of an unspent or spent output what its lists are filtered, ordered and summed up by. */
abstract class ListedUtxo {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly utxoId!: string;
  @Column.Hex({ key: true }) readonly address!: string;
  @Column.Flag() readonly isSpent!: boolean;
  @Column.SafeInteger() readonly blockTime!: number;
  @Column.Uint64() readonly amount!: bigint;
  @Column.Hex() readonly assetId!: string;
  @Column.Int() readonly threshold!: number;
}

/**
 * One row per list that a UTXO stands in: the chain it was created on and, if another, the chain it can be spent on; times its owner's
 * addresses and the empty address, which is the list of the whole chain. Only UTXOs whose creation is known. The chain is a letter
 * and a partition, so that no index repeats its 32 bytes. No unique key: the index over the
 * time finds a row again by what the UTXO has (chain, address, isSpent, blockTime, utxoId), and one index less is a third of the
 * writing; the indexes differ by chain.
 */
@Entity({ name: 'utxo_listings', synchronize: false })
export class UtxoListing extends ListedUtxo {
  @Column.Text({ key: true }) readonly chain!: PrimaryChain;
  @Column.Flag({ default: false }) readonly isReward!: boolean;
  /** Block of this chain that spent it; null while it is unspent, and where it was created to be spent elsewhere. */
  @Column.BigInteger({ nullable: true }) readonly spentHeight!: bigint | null;
}

/**
 * An export to the C-chain from before its index begins, as a node that had executed block `height` answered. One row per list, as in
 * UtxoListing; of those that the node does not let be imported only that of the whole chain (the empty address).
 */
@Entity({ name: 'utxo_checks' })
@Index('utxo_checks_by_amount', ['network', 'address', 'amount', 'utxoId'], { where: 'NOT is_spent' })
@Index('utxo_checks_by_block_time', ['network', 'address', 'blockTime', 'utxoId'], { where: 'NOT is_spent' })
export class UtxoCheck extends ListedUtxo {
  @Column.BigInteger() readonly height!: bigint;
}
