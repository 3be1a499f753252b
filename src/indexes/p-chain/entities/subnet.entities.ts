import { Entity, Index } from 'typeorm';
import type { NetworkName } from '../../../platform/config/config.module.js';
import { Owners } from '../../utxos/owners.js';
import {
  BigInteger,
  Bytes,
  Embedded,
  Hex,
  Hexes,
  Int,
  SafeInteger,
  Sum,
  Text,
  Uint64,
} from '../../../platform/database/columns.js';

class TransformationColumns {
  @Hex({ nullable: true }) readonly txId: string;
  @Hex({ nullable: true }) readonly assetId: string;
  @Uint64({ nullable: true }) readonly maximumSupply: bigint;
  @Uint64({ nullable: true }) readonly minConsumptionRate: bigint;
  @Uint64({ nullable: true }) readonly maxConsumptionRate: bigint;
  @Uint64({ nullable: true }) readonly maxValidatorStake: bigint;
  @Int({ nullable: true }) readonly maxValidatorWeightFactor: number;
}

class ConversionColumns {
  @Hex({ nullable: true }) readonly txId: string;
  @Hex({ nullable: true, name: 'id' }) readonly conversionId: string;
  @Hex({ nullable: true }) readonly managerChainId: string;
  @Hex({ nullable: true }) readonly managerAddress: string;
}

/** A subnet in its current state. */
@Entity({ name: 'subnets' })
@Index('subnets_block_height_idx', ['blockHeight', 'subnetId'])
export class SubnetEntity {
  @Text({ key: true }) readonly network: NetworkName;
  @Hex({ key: true }) readonly subnetId: string;
  @BigInteger() readonly blockHeight: bigint;
  @SafeInteger() readonly blockTime: number;
  @Embedded(() => Owners, { nullable: true }) readonly owner: Owners | null;
  @Embedded(() => TransformationColumns, { nullable: true })
  readonly transformation: TransformationColumns | null;
  @Embedded(() => ConversionColumns, { nullable: true }) readonly conversion: ConversionColumns | null;
}

/** Supply and stake of the primary network or an elastic subnet, in its staking asset. */
@Entity({ name: 'subnet_stakes' })
export class SubnetStakeEntity {
  @Text({ key: true }) readonly network: NetworkName;
  @Hex({ key: true }) readonly subnetId: string;
  @Uint64({ nullable: true }) readonly supply: bigint | null;
  @Sum() readonly totalWeight: bigint;
}

/**
 * `genesis`: the specification's genesisData as its JSON text. Not jsonb: the API copies the text into its answers as it is, with
 * integers beyond 2^53, and Postgres knows a text's length without reading it.
 */
@Entity({ name: 'blockchains' })
@Index('blockchains_subnet_id_idx', ['subnetId', 'blockHeight', 'blockchainId'])
export class BlockchainEntity {
  @Text({ key: true }) readonly network: NetworkName;
  @Hex({ key: true }) readonly blockchainId: string;
  @Hex() readonly subnetId: string;
  @Text() readonly name: string;
  @Hex() readonly vmId: string;
  @Hexes() readonly fxIds: readonly string[];
  @Bytes() readonly genesisData: Uint8Array;
  @BigInteger({ nullable: true }) readonly blockHeight: bigint | null;
  @SafeInteger() readonly blockTime: number;
  @Text({ nullable: true }) readonly genesis: string | null;
  @Sum({ nullable: true }) readonly evmChainId: bigint | null;
}
