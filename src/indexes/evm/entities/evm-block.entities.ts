import { Entity, Index } from 'typeorm';
import * as Column from '../../../platform/database/columns.js';

/** `needsTrace`: whether any of its transactions may have moved something on the way. */
@Entity({ name: 'evm_blocks' })
@Index('evm_blocks_block_time_idx', ['blockTime', 'height'])
export class EvmBlockEntity {
  @Column.BigInteger({ key: true }) readonly chainKey!: bigint;
  @Column.BigInteger({ key: true }) readonly height!: bigint;
  @Column.EvmHex() readonly hash!: `0x${string}`;
  @Column.SafeInteger() readonly blockTime!: number;
  @Column.Flag() readonly needsTrace!: boolean;
}

/**
 * `toAddress`: the recipient, or the contract that was created; null when neither is. Each transaction stands for its native movement
 * (if it succeeded, and moved something or created a contract) and its fee. `feeRecipient`: null for the address without an owner that
 * has the fees of most chains.
 *
 * The order is that of COPY (copy-rows.ts): columns of fixed width come first, so that little is lost to alignment. The key is not one
 * of the table (partition-indexes.ts).
 */
@Entity({ name: 'evm_transactions', synchronize: false })
export class EvmTransactionEntity {
  @Column.BigInteger({ key: true }) readonly chainKey!: bigint;
  @Column.BigInteger({ key: true }) readonly height!: bigint;
  @Column.Int({ key: true }) readonly txIndex!: number;
  @Column.Flag() readonly isCreation!: boolean;
  @Column.Flag() readonly isSuccess!: boolean;
  @Column.SafeInteger() readonly blockTime!: number;
  @Column.EvmHex() readonly txHash!: `0x${string}`;
  @Column.EvmHex() readonly fromAddress!: `0x${string}`;
  @Column.EvmHex({ nullable: true }) readonly toAddress!: `0x${string}` | null;
  @Column.Uint256() readonly value!: bigint;
  @Column.Uint256() readonly fee!: bigint;
  @Column.EvmHex({ nullable: true }) readonly feeRecipient!: `0x${string}` | null;
  @Column.EvmHex({ nullable: true }) readonly methodId!: `0x${string}` | null;
}
