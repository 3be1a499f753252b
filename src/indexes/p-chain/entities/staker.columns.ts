import type { NetworkName } from '../../../platform/config/config.module.js';
import type { StakerStatus } from '../../../avalanche/platformvm/state/staker-status.js';
import type { TxType } from '../../../avalanche/platformvm/transaction.js';
import { BigInteger, Hex, Int, SafeInteger, Text, Uint64 } from '../../../platform/database/columns.js';

/** Of validators and delegators, as the state machine records them (records.ts). */
export abstract class StakerColumns {
  @Text({ key: true }) readonly network: NetworkName;
  @Hex({ key: true }) readonly txId: string;
  @Hex() readonly subnetId: string;
  @Hex() readonly nodeId: string;
  @Text() readonly status: StakerStatus;
  @Uint64() readonly weight: bigint;
  @SafeInteger({ name: 'startTime' }) readonly start: number;
  @SafeInteger({ name: 'endTime' }) readonly end: number;
  @BigInteger() readonly blockHeight: bigint;
  @SafeInteger() readonly blockTime: number;
  @Uint64() readonly potentialReward: bigint;
  @Hex() readonly stakeAssetId: string;
  @Int() readonly outputCount: number;
  @Int() readonly stakeOutputCount: number;
  @Hex({ nullable: true }) readonly endTxId: string | null;
  @SafeInteger({ nullable: true }) readonly endedAt: number | null;
  @Text() readonly txType: TxType;
}
