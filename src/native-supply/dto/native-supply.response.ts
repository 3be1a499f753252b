import { ApiProperty } from '@nestjs/swagger';

/** In whole AVAX. */
const avax = (description: string, example: string) =>
  ({
    type: 'string',
    pattern: '^-?\\d+\\.\\d{9,18}$',
    description: `${description} AVAX.`,
    example,
  }) as const;

export class NativeSupplyResponse {
  @ApiProperty(avax('The same as the total.', '359999985.255784960437197479'))
  circulatingSupply: string;

  @ApiProperty(avax('What there is.', '359999985.255784960437197479'))
  totalSupply: string;

  @ApiProperty(avax('Fees of transactions and of L1 validators on the P-chain.', '14.200001407'))
  totalPBurned: string;

  @ApiProperty(
    avax(
      'What the burn address of the C-chain holds, and the fees of imports and exports.',
      '0.297728781562802521',
    ),
  )
  totalCBurned: string;

  @ApiProperty(avax('Fees of transactions on the X-chain.', '0.250000000'))
  totalXBurned: string;

  @ApiProperty(avax('By validators and delegators of the primary network.', '10005746.001918926'))
  totalStaked: string;

  @ApiProperty(avax('UTXOs that a lock time keeps from being spent.', '6.000035849'))
  totalLocked: string;

  @ApiProperty(avax('All staking rewards that were ever paid out or staked again.', '0.003515149'))
  totalRewards: string;

  @ApiProperty({
    format: 'date-time',
    description: 'When all chains were last indexed to their tips. ISO 8601, UTC.',
    example: '2026-11-22T18:45:01.078Z',
  })
  lastUpdated: string;

  @ApiProperty(avax('What the genesis has handed out.', '360000000.000000000'))
  genesisUnlock: string;

  @ApiProperty(avax('Part of what is burned on the P-chain.', '0.000001407'))
  l1ValidatorFees: string;
}
