import { Entity, Index } from 'typeorm';
import type { NetworkName } from '../../../platform/config/config.module.js';
import { Owners } from '../../utxos/owners.js';
import * as Column from '../../../platform/database/columns.js';

class TransformationColumns {
  @Column.Hex({ nullable: true }) readonly txId!: string;
  @Column.Hex({ nullable: true }) readonly assetId!: string;
  @Column.Uint64({ nullable: true }) readonly maximumSupply!: bigint;
  @Column.Uint64({ nullable: true }) readonly minConsumptionRate!: bigint;
  @Column.Uint64({ nullable: true }) readonly maxConsumptionRate!: bigint;
  @Column.Uint64({ nullable: true }) readonly maxValidatorStake!: bigint;
  @Column.Int({ nullable: true }) readonly maxValidatorWeightFactor!: number;
}

class ConversionColumns {
  @Column.Hex({ nullable: true }) readonly txId!: string;
  @Column.Hex({ nullable: true, name: 'id' }) readonly conversionId!: string;
  @Column.Hex({ nullable: true }) readonly managerChainId!: string;
  @Column.Hex({ nullable: true }) readonly managerAddress!: string;
}

/** A subnet in its current state. */
@Entity({ name: 'subnets' })
@Index('subnets_block_height_idx', ['blockHeight', 'subnetId'])
export class SubnetEntity {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly subnetId!: string;
  @Column.BigInteger() readonly blockHeight!: bigint;
  @Column.SafeInteger() readonly blockTime!: number;
  @Column.Embedded(() => Owners, { nullable: true }) readonly owner!: Owners | null;
  @Column.Embedded(() => TransformationColumns, { nullable: true })
  readonly transformation!: TransformationColumns | null;
  @Column.Embedded(() => ConversionColumns, { nullable: true })
  readonly conversion!: ConversionColumns | null;
}

/** Supply and stake of the primary network or an elastic subnet, in its staking asset. */
@Entity({ name: 'subnet_stakes' })
export class SubnetStakeEntity {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly subnetId!: string;
  @Column.Uint64({ nullable: true }) readonly supply!: bigint | null;
  @Column.Sum() readonly totalWeight!: bigint;
}

/**
 * `genesis`: the specification's genesisData as its JSON text. Not jsonb: the API copies the text into its answers as it is, with
 * integers beyond 2^53, and Postgres knows a text's length without reading it.
 */
@Entity({ name: 'blockchains' })
@Index('blockchains_block_height_idx', ['blockHeight', 'blockchainId'])
@Index('blockchains_subnet_id_idx', ['subnetId', 'blockHeight', 'blockchainId'])
export class BlockchainEntity {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly blockchainId!: string;
  @Column.Hex() readonly subnetId!: string;
  @Column.Text() readonly name!: string;
  @Column.Hex() readonly vmId!: string;
  @Column.Hexes() readonly fxIds!: readonly string[];
  @Column.Bytes() readonly genesisData!: Uint8Array;
  @Column.BigInteger() readonly blockHeight!: bigint;
  @Column.SafeInteger() readonly blockTime!: number;
  @Column.Text({ nullable: true }) readonly genesis!: string | null;
  @Column.Sum({ nullable: true }) readonly evmChainId!: bigint | null;
}
