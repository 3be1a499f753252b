import { Entity } from 'typeorm';
import { BigInteger, Hex, Hexes, Int, Jsonb, SafeInteger } from '../../../platform/database/columns.js';

/** By place and not by id: early blocks of mainnet repeat transactions. `burned`: nano-units as text, by asset in hex. */
@Entity({ name: 'evm_atomic_transactions' })
export class EvmAtomicTransaction {
  @BigInteger({ key: true }) readonly chainKey: bigint;
  @BigInteger({ key: true }) readonly height: bigint;
  @Int({ key: true }) readonly position: number;
  @SafeInteger() readonly blockTime: number;
  @Hex() readonly txId: string;
  @Hex() readonly blockchainId: string;
  @Jsonb() readonly burned: Readonly<Record<string, string>>;
  @Hexes() readonly created: readonly string[];
  @Hexes() readonly consumed: readonly string[];
}
