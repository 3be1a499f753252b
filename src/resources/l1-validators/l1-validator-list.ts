import type { IdHex, ShortIdHex } from '../../avalanche/ids/text.js';
import { L1ValidatorEntity } from '../../indexes/p-chain/entities/l1-validator.entity.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { columnsOf } from '../../platform/database/entity-columns.js';
import type { Keyset, PagePlace } from '../../platform/http/pagination/keyset.js';

export interface L1ValidatorListRequest extends PagePlace {
  readonly network: NetworkName;
  readonly filters: {
    readonly validationId?: IdHex | undefined;
    readonly nodeId?: ShortIdHex | undefined;
    readonly subnetId?: IdHex | undefined;
    readonly includeInactive: boolean;
  };
}

export const L1_VALIDATOR = columnsOf(
  L1ValidatorEntity,
  ...(['validationId', 'subnetId', 'nodeId', 'publicKey', 'proofOfPossession', 'start', 'weight'] as const),
  ...(['endAccumulatedFee', 'remainingBalanceOwner', 'deactivationOwner'] as const),
);
export type L1ValidatorRow = ReturnType<typeof L1_VALIDATOR.read>;

/** The block after which the rows are so, and what the fee is then. */
export interface FeeClock {
  readonly height: bigint;
  readonly time: number;
  readonly accruedFees: bigint;
  readonly validatorExcess: bigint;
}

export function keysetOf({ start, validationId }: L1ValidatorRow): Keyset {
  return [String(start), validationId];
}
