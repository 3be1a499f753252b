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
  @ApiProperty(avax('Same as totalSupply.', '359999985.255784960437197479'))
  circulatingSupply!: string;

  @ApiProperty(avax('Total supply.', '359999985.255784960437197479'))
  totalSupply!: string;

  @ApiProperty(avax('Fees of transactions and L1 validators burned on the P-chain.', '14.200001407'))
  totalPBurned!: string;

  @ApiProperty(
    avax(
      'Balance of the burn address on the C-chain, plus the fees of imports and exports.',
      '0.297728781562802521',
    ),
  )
  totalCBurned!: string;

  @ApiProperty(avax('Fees of transactions burned on the X-chain.', '0.250000000'))
  totalXBurned!: string;

  @ApiProperty(avax('Staked by validators and delegators of the primary network.', '10005746.001918926'))
  totalStaked!: string;

  @ApiProperty(avax('UTXOs that cannot be spent yet because of a lock time.', '6.000035849'))
  totalLocked!: string;

  @ApiProperty(avax('All staking rewards ever paid out or restaked.', '0.003515149'))
  totalRewards!: string;

  @ApiProperty({
    format: 'date-time',
    description: 'Time when all chains were last indexed to their tips. ISO 8601, UTC.',
    example: '2026-11-22T18:45:01.078Z',
  })
  lastUpdated!: string;

  @ApiProperty(avax('Allocated by the genesis.', '360000000.000000000'))
  genesisUnlock!: string;

  @ApiProperty(avax('Fees of L1 validators, which are included in totalPBurned.', '0.000001407'))
  l1ValidatorFees!: string;
}
