import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { repeatedIdToString } from '../../../avalanche/ids/repeated-texts.js';
import type { CycleOutcome } from '../../../avalanche/platformvm/state/records.js';
import { cb58, count, nanoAvax, unixSeconds } from '../../../platform/http/openapi/fields.js';
import { PageResponse } from '../../../platform/http/openapi/page.response.js';
import { sharesToPercent } from '../../../platform/http/schemas/percent.js';
import {
  AUTO_RENEW_STATE,
  type AutoRenewState,
  autoRenewStateOf,
} from '../../validators/auto-renew-state.js';
import type { RunningRow, SettledRow } from '../cycle-list.js';

class Cycle {
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'Counted from 1 for each validation.',
    example: 2,
  })
  cycleIndex!: number;

  @ApiProperty(
    cb58('The transaction that added the validator.', 'HyxfaccmVdzE23aVYdQbaf94FnEoobBMxbKoaLJcu8ywmnEKS'),
  )
  stakingTxHash!: string;

  @ApiProperty(unixSeconds('Start.', 1_795_307_416))
  startTimestamp!: number;

  @ApiProperty(unixSeconds('End, planned or past.', 1_795_307_536))
  endTimestamp!: number;

  @ApiProperty(nanoAvax('Stake during the cycle, with what earlier cycles had restaked.', '2000000900000'))
  weightAtCycleStart!: string;

  @ApiProperty({
    type: 'number',
    minimum: 0,
    maximum: 100,
    description:
      'Percentage of the rewards that is restaked; of a settled cycle as it was at its end, of the current one as it is configured now.',
    example: 75,
  })
  autoCompoundSharePercent!: number;

  @ApiProperty(count('Number of delegations during the cycle.', 1))
  delegatorCount!: number;

  @ApiProperty(nanoAvax('Stake of these delegations.', '100000000000'))
  amountDelegated!: string;
}

const OUTCOMES = ['renewed', 'exited', 'aborted'] as const satisfies readonly CycleOutcome[];

export class SettledCycleResponse extends Cycle {
  @ApiProperty(
    cb58('The transaction that settled the cycle.', '2G9asYci4WUk5goi1T8gsqwV8JoBWCDwE5kGR7MuQy75uXmDv6'),
  )
  rewardTxHash!: string;

  @ApiProperty(nanoAvax('Validation reward of this cycle; 0 if aborted.', '908079'))
  grossValidationReward!: string;

  @ApiProperty(
    nanoAvax('Part of it that was paid out. What earlier cycles had restaked is not in it.', '227020'),
  )
  withdrawnValidationReward!: string;

  @ApiProperty(nanoAvax('Part of it that was restaked.', '681059'))
  compoundedValidationReward!: string;

  @ApiProperty(
    nanoAvax("The validator's share of the rewards of this cycle's delegations, also if aborted.", '0'),
  )
  grossDelegateeReward!: string;

  @ApiProperty(nanoAvax('Part of it that was paid out.', '0'))
  withdrawnDelegateeReward!: string;

  @ApiProperty(nanoAvax('Part of it that was restaked.', '0'))
  compoundedDelegateeReward!: string;

  @ApiProperty({
    enum: OUTCOMES,
    description:
      'renewed: another cycle followed; exited: the last one, as configured; aborted: the last one, because the condition of the reward was missed.',
    example: 'renewed',
  })
  outcome!: CycleOutcome;
}

export class CurrentCycleResponse extends Cycle {
  @ApiProperty(nanoAvax('Validation reward of the whole cycle, if the validator earns it.', '908079'))
  projectedValidationReward!: string;

  @ApiProperty(
    nanoAvax("The validator's share of the rewards of delegations that have ended in this cycle.", '0'),
  )
  accruedDelegateeReward!: string;

  @ApiProperty(AUTO_RENEW_STATE)
  state!: AutoRenewState;
}

export class ListCyclesResponse extends PageResponse {
  @ApiProperty({ type: [SettledCycleResponse], description: 'At most pageSize cycles.' })
  cycles!: SettledCycleResponse[];

  @ApiPropertyOptional({
    type: CurrentCycleResponse,
    description: 'On the first page: the cycle that runs, if any.',
  })
  currentCycle?: CurrentCycleResponse;
}

export function toSettledCycle(row: SettledRow): SettledCycleResponse {
  const { withdrawnValidationReward, compoundedValidationReward } = row;
  const { withdrawnDelegateeReward, compoundedDelegateeReward } = row;
  return {
    cycleIndex: row.cycleIndex,
    rewardTxHash: repeatedIdToString(row.rewardTxId),
    ...commonFields(row),
    grossValidationReward: String(withdrawnValidationReward + compoundedValidationReward),
    withdrawnValidationReward: withdrawnValidationReward.toString(),
    compoundedValidationReward: compoundedValidationReward.toString(),
    grossDelegateeReward: String(withdrawnDelegateeReward + compoundedDelegateeReward),
    withdrawnDelegateeReward: withdrawnDelegateeReward.toString(),
    compoundedDelegateeReward: compoundedDelegateeReward.toString(),
    autoCompoundSharePercent: sharesToPercent(row.autoCompoundShares),
    outcome: row.outcome,
    delegatorCount: row.delegatorCount,
    amountDelegated: row.delegatedWeight.toString(),
  };
}

export function toCurrentCycle(row: RunningRow): CurrentCycleResponse {
  const { autoRenewal, totalDelegatorCount, totalDelegatedWeight } = row;
  return {
    cycleIndex: autoRenewal.cycleIndex,
    ...commonFields(row),
    projectedValidationReward: row.potentialReward.toString(),
    accruedDelegateeReward: row.delegateeReward.toString(),
    autoCompoundSharePercent: sharesToPercent(autoRenewal.autoCompoundShares),
    state: autoRenewStateOf({ isRunning: true, ...autoRenewal }),
    delegatorCount: totalDelegatorCount - autoRenewal.earlierDelegatorCount,
    amountDelegated: String(totalDelegatedWeight - autoRenewal.earlierDelegatedWeight),
  };
}

function commonFields(row: Pick<SettledRow, 'txId' | 'start' | 'end' | 'weight'>) {
  return {
    stakingTxHash: repeatedIdToString(row.txId),
    startTimestamp: row.start,
    endTimestamp: row.end,
    weightAtCycleStart: row.weight.toString(),
  };
}
