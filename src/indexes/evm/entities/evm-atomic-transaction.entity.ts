import { Entity } from 'typeorm';
import * as Column from '../../../platform/database/columns.js';

/** By place and not by id: early blocks of mainnet repeat transactions. `burned`: nano-units as text, by asset in hex. */
@Entity({ name: 'evm_atomic_transactions' })
export class EvmAtomicTransaction {
  @Column.BigInteger({ key: true }) readonly chainKey: bigint;
  @Column.BigInteger({ key: true }) readonly height: bigint;
  @Column.Int({ key: true }) readonly position: number;
  @Column.SafeInteger() readonly blockTime: number;
  @Column.Hex() readonly txId: string;
  @Column.Hex() readonly blockchainId: string;
  @Column.Jsonb() readonly burned: Readonly<Record<string, string>>;
  @Column.Hexes() readonly created: readonly string[];
  @Column.Hexes() readonly consumed: readonly string[];
}
