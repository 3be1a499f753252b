import { Entity, Index } from 'typeorm';
import { BigInteger, EvmHex, Flag, Int, SafeInteger, Uint256 } from '../../../platform/database/columns.js';

/** `needsTrace`: whether any of its transactions may have moved something on the way. */
@Entity({ name: 'evm_blocks' })
@Index('evm_blocks_block_time_idx', ['blockTime', 'height'])
export class EvmBlockEntity {
  @BigInteger({ key: true }) readonly chainKey: bigint;
  @BigInteger({ key: true }) readonly height: bigint;
  @EvmHex() readonly hash: `0x${string}`;
  @SafeInteger() readonly blockTime: number;
  @Flag() readonly needsTrace: boolean;
}

/**
 * `toAddress`: the recipient, or the contract that was created; null when neither is. Each transaction stands for its native movement
 * (if it succeeded, and moved something or created a contract) and its fee.
 */
@Entity({ name: 'evm_transactions' })
export class EvmTransactionEntity {
  @BigInteger({ key: true }) readonly chainKey: bigint;
  @BigInteger({ key: true }) readonly height: bigint;
  @Int({ key: true }) readonly txIndex: number;
  @SafeInteger() readonly blockTime: number;
  @EvmHex() readonly txHash: `0x${string}`;
  @EvmHex() readonly fromAddress: `0x${string}`;
  @EvmHex({ nullable: true }) readonly toAddress: `0x${string}` | null;
  @Flag() readonly isCreation: boolean;
  @Flag() readonly isSuccess: boolean;
  @Uint256() readonly value: bigint;
  @Uint256() readonly fee: bigint;
  @EvmHex() readonly feeRecipient: `0x${string}`;
  @EvmHex({ nullable: true }) readonly methodId: `0x${string}` | null;
}
