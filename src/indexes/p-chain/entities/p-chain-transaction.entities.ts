import { Entity } from 'typeorm';
import type { NetworkName } from '../../../platform/config/config.module.js';
import type { TxType } from '../../../avalanche/platformvm/transaction.js';
import * as Column from '../../../platform/database/columns.js';

/**
 * `burned`: nAVAX that went in and came out nowhere, balances of L1 validators not counted. `avaxSpent`: nAVAX
 * of all inputs, by which a fee is shared among those who paid it. `l1Transaction`: the unsigned bytes of one
 * that the P-chain states something about an L1 after.
 */
@Entity({ name: 'p_chain_transactions' })
export class PChainTransaction {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Hex({ key: true }) readonly txId!: string;
  @Column.Text() readonly type!: TxType;
  @Column.BigInteger() readonly blockHeight!: bigint;
  @Column.SafeInteger() readonly blockTime!: number;
  @Column.Flag() readonly isCommitted!: boolean;
  @Column.Uint64() readonly burned!: bigint;
  @Column.Uint64() readonly avaxSpent!: bigint;
  @Column.Bytes({ nullable: true }) readonly l1Transaction!: Uint8Array | null;
}

/**
 * nAVAX. `spent`: what outputs held that were spent, without what was made anew; `rewarded`: in outputs that reward stakers;
 * `burned`: fees of transactions. Sums, because all UTXOs cannot be added up every few minutes.
 */
@Entity({ name: 'p_chain_totals' })
export class PChainTotal {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.Sum() readonly spent!: bigint;
  @Column.Sum() readonly rewarded!: bigint;
  @Column.Sum() readonly burned!: bigint;
}
