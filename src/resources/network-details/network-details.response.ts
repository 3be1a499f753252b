import { ApiProperty } from '@nestjs/swagger';
import { count, nanoAvax, text } from '../../platform/http/openapi/fields.js';

class StakeOfVersion {
  @ApiProperty(
    text(
      'Version that the nodes reported when they were last seen; "offline" for those that no configured node has seen in the last 24 hours, and "unknown" for those that were seen and reported none.',
      'avalanchego/1.15.0',
    ),
  )
  version!: string;

  @ApiProperty(nanoAvax('Their stake, with delegations.', '2002000000000'))
  amountStaked!: string;

  @ApiProperty(count('Number of validators.', 5))
  validatorCount!: number;
}

class ValidatorTotals {
  @ApiProperty(count('Number of active validators of the primary network.', 5))
  validatorCount!: number;

  @ApiProperty(nanoAvax('Their own stake.', '2002000000000'))
  totalAmountStaked!: string;

  @ApiProperty(
    nanoAvax(
      'Sum of the rewards that their running validations may earn, each over its own time.',
      '12863916275',
    ),
  )
  estimatedAnnualStakingReward!: string;

  @ApiProperty({
    type: [StakeOfVersion],
    description: 'Stake by the version of the nodes, the largest first.',
  })
  stakingDistributionByVersion!: StakeOfVersion[];

  @ApiProperty(
    text(
      'Share of the supply that is staked, delegations included: a decimal from 0 to 1.',
      '0.45013662180200000000',
    ),
  )
  stakingRatio!: string;
}

class DelegatorTotals {
  @ApiProperty(count('Number of active delegations.', 2))
  delegatorCount!: number;

  @ApiProperty(nanoAvax('Their stake.', '300000000000'))
  totalAmountStaked!: string;
}

export class NetworkDetailsResponse {
  @ApiProperty({ type: ValidatorTotals, description: 'About active validators.' })
  validatorDetails!: ValidatorTotals;

  @ApiProperty({ type: DelegatorTotals, description: 'About active delegations.' })
  delegatorDetails!: DelegatorTotals;
}
