import { Entity } from 'typeorm';
import type { NetworkName } from '../../../platform/config/config.module.js';
import type { TxType } from '../../../avalanche/platformvm/transaction.js';
import { BigInteger, Flag, Hex, SafeInteger, Sum, Text, Uint64 } from '../../../platform/database/columns.js';

/** `burned`: nAVAX that went in and came out nowhere, balances of L1 validators not counted. */
@Entity({ name: 'p_chain_transactions' })
export class PChainTransaction {
  @Text({ key: true }) readonly network: NetworkName;
  @Hex({ key: true }) readonly txId: string;
  @Text() readonly type: TxType;
  @BigInteger() readonly blockHeight: bigint;
  @SafeInteger() readonly blockTime: number;
  @Flag() readonly isCommitted: boolean;
  @Uint64() readonly burned: bigint;
}

/**
 * nAVAX. `spent`: what outputs held that were spent, without what was made anew; `rewarded`: in outputs that reward stakers;
 * `burned`: fees of transactions. Sums, because all UTXOs cannot be added up every few minutes.
 */
@Entity({ name: 'p_chain_totals' })
export class PChainTotal {
  @Text({ key: true }) readonly network: NetworkName;
  @Sum() readonly spent: bigint;
  @Sum() readonly rewarded: bigint;
  @Sum() readonly burned: bigint;
}
