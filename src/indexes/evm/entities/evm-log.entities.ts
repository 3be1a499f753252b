import { Entity, Index } from 'typeorm';
import {
  BigInteger,
  EvmHex,
  EvmHexes,
  Int,
  SafeInteger,
  Text,
  Uint256,
} from '../../../platform/database/columns.js';

/**
 * A log of a watched contract. Few, kept also where a chain's blocks are not, and read in the order in which they came (`seq`): no
 * partitions then.
 */
@Entity({ name: 'evm_logs' })
@Index('evm_logs_seq_idx', ['chainKey', 'logSet', 'seq'])
export class EvmLogEntity {
  @BigInteger({ key: true }) readonly chainKey: bigint;
  @Text({ key: true }) readonly logSet: string;
  @BigInteger({ key: true }) readonly height: bigint;
  @Int({ key: true }) readonly logIndex: number;
  @Int() readonly txIndex: number;
  @SafeInteger() readonly blockTime: number;
  @EvmHex() readonly txHash: `0x${string}`;
  @EvmHex() readonly address: `0x${string}`;
  @EvmHexes() readonly topics: readonly `0x${string}`[];
  @EvmHex() readonly data: `0x${string}`;
  @Uint256() readonly fee: bigint;
  @BigInteger({ generated: 'identity' }) readonly seq: bigint;
}

/** How far a projection of the watched logs has come; `seq` is that of the last log that was put in. */
@Entity({ name: 'projection_checkpoints' })
export class ProjectionCheckpoint {
  @BigInteger({ key: true }) readonly chainKey: bigint;
  @Text({ key: true }) readonly projection: string;
  @Int() readonly version: number;
  @BigInteger() readonly seq: bigint;
}
