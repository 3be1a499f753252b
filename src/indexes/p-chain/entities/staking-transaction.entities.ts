import { Entity } from 'typeorm';
import type { StakerTx } from '../../../avalanche/platformvm/transaction.js';
import type { NetworkName } from '../../../platform/config/config.module.js';
import * as Column from '../../../platform/database/columns.js';

/**
 * The transaction of a stake that runs or waits; it leaves the table when the stake ends. `unsigned`: its bytes without credentials;
 * `addresses`: all owners of what it consumed and made, of its rewards, and of the right to change it.
 */
@Entity({ name: 'staking_transactions' })
export class StakingTransactionEntity {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly txId!: string;
  @Column.Text() readonly txType!: StakerTx['type'];
  @Column.Hex() readonly blockId!: string;
  @Column.BigInteger() readonly blockHeight!: bigint;
  @Column.SafeInteger() readonly blockTime!: number;
  @Column.Bytes() readonly unsigned!: Uint8Array;
  @Column.Hexes() readonly addresses!: readonly string[];
}

/** Of the list of all. */
export const NO_ADDRESS = '';

/**
 * One row per such transaction and address, and one with NO_ADDRESS. Nothing is looked for but lists,
 * whose order the key has.
 */
@Entity({ name: 'staking_listings' })
export class StakingListing {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly address!: string;
  @Column.Text({ key: true }) readonly txType!: StakerTx['type'];
  @Column.SafeInteger({ key: true }) readonly blockTime!: number;
  @Column.Hex({ key: true }) readonly txId!: string;
}
