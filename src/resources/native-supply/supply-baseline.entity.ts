import { Entity } from 'typeorm';
import type { NetworkName } from '../../platform/config/config.module.js';
import * as Column from '../../platform/database/columns.js';

/** Sum that the C-chain's atomic transactions have burned up to a block, in nAVAX, by an operator's word. */
@Entity({ name: 'supply_baselines' })
export class SupplyBaseline {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.BigInteger() readonly height!: bigint;
  @Column.EvmHex() readonly blockHash!: `0x${string}`;
  @Column.Sum() readonly burned!: bigint;
  @Column.Timestamp({ default: () => 'now()' }) readonly importedAt!: Date;
}
