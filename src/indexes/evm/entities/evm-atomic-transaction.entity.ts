import { Entity, Index } from 'typeorm';
import * as Column from '../../../platform/database/columns.js';

/** By place and not by id: early blocks of mainnet repeat transactions. `burned`: nano-units as text, by asset in hex. */
@Entity({ name: 'evm_atomic_transactions' })
@Index('evm_atomic_transactions_tx_id_idx', ['chainKey', 'txId'])
export class EvmAtomicTransaction {
  @Column.BigInteger({ key: true }) readonly chainKey!: bigint;
  @Column.BigInteger({ key: true }) readonly height!: bigint;
  @Column.Int({ key: true }) readonly position!: number;
  @Column.SafeInteger() readonly blockTime!: number;
  @Column.Hex() readonly txId!: string;
  @Column.Hex() readonly blockchainId!: string;
  @Column.Jsonb() readonly burned!: Readonly<Record<string, string>>;
  @Column.Hexes() readonly created!: readonly string[];
  @Column.Hexes() readonly consumed!: readonly string[];
}

/** Amounts that a chain's atomic transactions have burned of an asset, each counted once: they cannot be added up every few minutes. */
@Entity({ name: 'evm_atomic_totals' })
export class EvmAtomicTotal {
  @Column.BigInteger({ key: true }) readonly chainKey!: bigint;
  @Column.Hex({ key: true }) readonly assetId!: string;
  @Column.Sum() readonly burned!: bigint;
}
