import { ApiProperty } from '@nestjs/swagger';

const DECIMAL = { type: 'string', pattern: '^-?\\d+\\.\\d{9,18}$', example: '454257251.714986502' } as const;

export class NativeSupplyResponse {
  @ApiProperty({ ...DECIMAL, description: 'The same as the total.' })
  circulatingSupply: string;

  @ApiProperty(DECIMAL)
  totalSupply: string;

  @ApiProperty({ ...DECIMAL, description: 'Fees of transactions and of L1 validators.' })
  totalPBurned: string;

  @ApiProperty({
    ...DECIMAL,
    description: 'What the burn address holds, and the fees of imports and exports.',
  })
  totalCBurned: string;

  @ApiProperty(DECIMAL)
  totalXBurned: string;

  @ApiProperty({ ...DECIMAL, description: 'By validators and delegators of the primary network.' })
  totalStaked: string;

  @ApiProperty({ ...DECIMAL, description: 'UTXOs that a lock time keeps from being spent.' })
  totalLocked: string;

  @ApiProperty({ ...DECIMAL, description: 'All staking rewards that were ever paid out or staked again.' })
  totalRewards: string;

  @ApiProperty({ format: 'date-time' })
  lastUpdated: string;

  @ApiProperty(DECIMAL)
  genesisUnlock: string;

  @ApiProperty({ ...DECIMAL, description: 'Part of what is burned on the P-chain.' })
  l1ValidatorFees: string;
}
