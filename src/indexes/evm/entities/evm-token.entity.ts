import { Entity } from 'typeorm';
import { BigInteger, EvmHex, Int, Numeric, Text, Timestamp } from '../../../platform/database/columns.js';

/**
 * `name` and `symbol` as the contract has them, cleaned and cut; `csvSymbol` neutralised for spreadsheets, not yet quoted; `unit` is
 * 10^-decimals.
 */
@Entity({ name: 'evm_tokens' })
export class EvmToken {
  @BigInteger({ key: true }) readonly chainKey: bigint;
  @EvmHex({ key: true }) readonly contract: `0x${string}`;
  @Text({ nullable: true }) readonly name: string | null;
  @Text({ nullable: true }) readonly symbol: string | null;
  @Text({ nullable: true }) readonly csvSymbol: string | null;
  @Int({ nullable: true }) readonly decimals: number | null;
  @Numeric({ nullable: true }) readonly unit: string | null;
  @Timestamp({ default: () => 'now()' }) readonly askedAt: Date;
  @Text({ nullable: true }) readonly failure: string | null;
}
