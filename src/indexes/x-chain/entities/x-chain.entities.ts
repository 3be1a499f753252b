import { Entity, Index } from 'typeorm';
import type { NetworkName } from '../../../platform/config/config.module.js';
import type { AvmTxType } from '../../../avalanche/avm/transaction.js';
import * as Column from '../../../platform/database/columns.js';

/** An asset of the X-chain. */
@Entity({ name: 'assets' })
export class AssetEntity {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly assetId!: string;
  @Column.Text() readonly name!: string;
  @Column.Text() readonly symbol!: string;
  @Column.Int() readonly denomination!: number;
}

/**
 * `blockHeight` is -1 before block 0, and `blockTime` then worked out from the place among all those. nAVAX: `burned`, and `avaxSpent` of
 * all inputs.
 */
@Entity({ name: 'x_chain_transactions' })
export class XChainTransaction {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly txId!: string;
  @Column.Text() readonly type!: AvmTxType;
  @Column.BigInteger() readonly blockHeight!: bigint;
  @Column.SafeInteger() readonly blockTime!: number;
  @Column.Uint64() readonly burned!: bigint;
  @Column.Uint64() readonly avaxSpent!: bigint;
}

/** Sum that all of them have burned, in nAVAX: they cannot be added up every few minutes. */
@Entity({ name: 'x_chain_totals' })
export class XChainTotal {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Sum() readonly burned!: bigint;
}

/**
 * A vertex of the time before blocks, while that is read; without height and bytes where it was named and is still to be asked for.
 * Removed once its transactions are executed.
 */
@Entity({ name: 'x_chain_vertices' })
@Index('x_chain_vertices_height_idx', ['height', 'vertexId'])
@Index('x_chain_vertices_wanted_idx', ['vertexId'], { where: 'bytes IS NULL' })
export class XChainVertex {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly vertexId!: string;
  @Column.Uint64({ nullable: true }) readonly height!: bigint | null;
  @Column.Bytes({ nullable: true }) readonly bytes!: Uint8Array | null;
}
