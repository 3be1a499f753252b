import { ApiProperty } from '@nestjs/swagger';
import { packAddresses } from '../../avalanche/ids/repeated-texts.js';
import { EXAMPLES } from '../../platform/http/openapi/examples.js';
import { bech32List, count, nanoAvax } from '../../platform/http/openapi/fields.js';
import { sharesToPercent } from '../../platform/http/schemas/percent.js';
import { AUTO_RENEW_STATE, type AutoRenewState, autoRenewStateOf } from './auto-renew-state.js';
import type { ValidatorRow } from './validator-list.js';

const EXIT_REASONS = ['graceful', 'uptime_not_met'] as const;

export class AutoRenew {
  @ApiProperty(AUTO_RENEW_STATE)
  state!: AutoRenewState;

  @ApiProperty(count('Length of the next cycle; 0 if none follows. Seconds.', 15_552_000))
  nextPeriodSeconds!: number;

  @ApiProperty({
    type: 'number',
    minimum: 0,
    maximum: 100,
    description:
      'Percentage of the rewards that is restaked at the end of a cycle. The rest is paid out, as is any amount that would raise the stake above the network’s limit.',
    example: 75,
  })
  autoCompoundSharePercent!: number;

  @ApiProperty(
    nanoAvax('The first stake with all restaked rewards; the same as amountStaked.', '2000001918926'),
  )
  compoundedWeight!: string;

  @ApiProperty(
    nanoAvax(
      'Restaked validation rewards. They are not included in rewards until they are paid out at the end of the last cycle.',
      '1816158',
    ),
  )
  accruedValidationRewards!: string;

  @ApiProperty(nanoAvax('The same for delegation rewards.', '102768'))
  accruedDelegateeRewards!: string;

  @ApiProperty(bech32List('Owners of the validation rewards.', EXAMPLES.address))
  validationRewardAddresses!: string[];

  @ApiProperty(bech32List('Owners of the delegation rewards.', EXAMPLES.address))
  delegationRewardAddresses!: string[];

  @ApiProperty({
    type: 'string',
    enum: [...EXIT_REASONS, null],
    nullable: true,
    description: 'Why it has ended; null while it runs.',
    example: null,
  })
  exitReason!: (typeof EXIT_REASONS)[number] | null;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    nullable: true,
    description: 'When it ended; null while it runs. UNIX seconds.',
    example: null,
  })
  endedAtTimestamp!: number | null;
}

type AutoRenewRow = Pick<
  ValidatorRow,
  'autoRenewal' | 'status' | 'weight' | 'validationRewardsOwner' | 'delegationRewardsOwner' | 'endedAt'
>;

export function autoRenewOf(row: AutoRenewRow, hrp: string): { autoRenew?: AutoRenew } {
  const { autoRenewal } = row;
  if (autoRenewal === null) return {};
  const isRunning = row.status === 'active';
  return {
    autoRenew: {
      state: autoRenewStateOf({ isRunning, ...autoRenewal }),
      nextPeriodSeconds: isRunning ? autoRenewal.nextPeriod : 0,
      autoCompoundSharePercent: sharesToPercent(autoRenewal.autoCompoundShares),
      compoundedWeight: row.weight.toString(),
      accruedValidationRewards: autoRenewal.accruedValidationRewards.toString(),
      accruedDelegateeRewards: autoRenewal.accruedDelegateeRewards.toString(),
      validationRewardAddresses: packAddresses(row.validationRewardsOwner?.addresses ?? [], hrp),
      delegationRewardAddresses: packAddresses(row.delegationRewardsOwner?.addresses ?? [], hrp),
      exitReason: isRunning ? null : autoRenewal.isAborted ? 'uptime_not_met' : 'graceful',
      endedAtTimestamp: row.endedAt,
    },
  };
}
