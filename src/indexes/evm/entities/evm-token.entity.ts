import { Entity, Index } from 'typeorm';
import * as Column from '../../../platform/database/columns.js';

/**
 * `name` and `symbol` as the contract has them, cleaned and cut; `csvSymbol` neutralised for spreadsheets, not yet quoted; `unit` is
 * 10^-decimals.
 */
@Entity({ name: 'evm_tokens' })
@Index('evm_tokens_failed_idx', ['chainKey', 'askedAt'], { where: 'failure IS NOT NULL' })
@Index('evm_tokens_asked_idx', ['chainKey', 'askedAt'], { where: 'failure IS NULL' })
export class EvmToken {
  @Column.BigInteger({ key: true }) readonly chainKey!: bigint;
  @Column.EvmHex({ key: true }) readonly contract!: `0x${string}`;
  @Column.Text({ nullable: true }) readonly name!: string | null;
  @Column.Text({ nullable: true }) readonly symbol!: string | null;
  @Column.Text({ nullable: true }) readonly csvSymbol!: string | null;
  @Column.Int({ nullable: true }) readonly decimals!: number | null;
  @Column.Numeric({ nullable: true }) readonly unit!: string | null;
  @Column.Timestamp({ default: () => 'now()' }) readonly askedAt!: Date;
  @Column.Text({ nullable: true }) readonly failure!: string | null;
}
