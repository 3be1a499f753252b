import type { IdHex, ShortIdHex } from '../../avalanche/ids/text.js';
import { ValidationCycle } from '../../indexes/p-chain/entities/validation-cycle.entity.js';
import { ValidatorEntity } from '../../indexes/p-chain/entities/validator.entity.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { columnsOf, columnsWithout } from '../../platform/database/entity-columns.js';
import type { Keyset, PagePlace } from '../../platform/http/pagination/keyset.js';
import type { SortOrder } from '../../platform/http/schemas/query.schema.js';

export interface CycleListRequest extends PagePlace {
  readonly network: NetworkName;
  readonly nodeId: ShortIdHex;
  /** The transaction that added the validator; all of the node's when left out. */
  readonly txId?: IdHex | undefined;
  readonly sortOrder: SortOrder;
}

export const SETTLED = columnsWithout(ValidationCycle, 'network', 'nodeId');
export type SettledRow = ReturnType<typeof SETTLED.read>;

/** Columns of the cycle that runs. */
export const RUNNING = columnsOf(
  ValidatorEntity,
  ...(['txId', 'start', 'end', 'weight', 'potentialReward', 'delegateeReward'] as const),
  ...(['totalDelegatorCount', 'totalDelegatedWeight', 'autoRenewal'] as const),
);
type MaybeRenewing = ReturnType<typeof RUNNING.read>;
export interface RunningRow extends MaybeRenewing {
  readonly autoRenewal: NonNullable<MaybeRenewing['autoRenewal']>;
}

/** A node's cycles do not overlap. */
export function keysetOf({ start, txId }: SettledRow): Keyset {
  return [String(start), txId];
}
