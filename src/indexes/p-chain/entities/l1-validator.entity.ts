import { Entity, Index } from 'typeorm';
import type { NetworkName } from '../../../platform/config/config.module.js';
import {
  Bytes,
  Embedded,
  Hex,
  Hexes,
  Int,
  SafeInteger,
  Text,
  Uint64,
} from '../../../platform/database/columns.js';

/** An owner without a lock time. */
class PChainOwnerColumns {
  @Int() readonly threshold: number;
  @Hexes() readonly addresses: readonly string[];
}

/** A validator of an L1; weight zero: removed. */
@Entity({ name: 'l1_validators' })
@Index('l1_validators_subnet_id_idx', { synchronize: false }) // ['subnetId']
export class L1ValidatorEntity {
  @Text({ key: true }) readonly network: NetworkName;
  @Hex({ key: true }) readonly validationId: string;
  @Hex() readonly subnetId: string;
  @Hex() readonly nodeId: string;
  @Bytes() readonly publicKey: Uint8Array;
  @SafeInteger({ name: 'startTime' }) readonly start: number;
  @Uint64() readonly weight: bigint;
  @Uint64() readonly minNonce: bigint;
  @Uint64() readonly endAccumulatedFee: bigint;
  @Hex() readonly txId: string;
  @Embedded(() => PChainOwnerColumns) readonly remainingBalanceOwner: PChainOwnerColumns;
  @Embedded(() => PChainOwnerColumns) readonly deactivationOwner: PChainOwnerColumns;
}
