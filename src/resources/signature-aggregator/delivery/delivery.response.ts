import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

const EXAMPLE_ID = '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5';

class DeliveryEpoch {
  @ApiProperty({ description: 'Number of the epoch (ACP-181).', example: '56' })
  number!: string;

  @ApiProperty({ description: 'When it began, UNIX seconds.', example: 1755802182 })
  startTimestamp!: number;

  @ApiProperty({
    description:
      'UNIX seconds. The first block that the receiving chain makes then or later is the last of the epoch; those after it verify with another ' +
      'P-chain height.',
    example: 1755802482,
  })
  endTimestamp!: number;
}

class AccessListEntry {
  @ApiProperty({
    description: 'The Warp precompile.',
    example: '0x0200000000000000000000000000000000000005',
  })
  address!: string;

  @ApiProperty({
    type: [String],
    description: 'The signed message as a predicate: its bytes, 0xff, and zeros up to 32 bytes.',
    example: [`0x${'00'.repeat(31)}ff`],
  })
  storageKeys!: string[];
}

export class VerificationResponse {
  @ApiProperty({ description: 'Whether the receiving chain would accept the message now.', example: true })
  isAccepted!: boolean;

  @ApiPropertyOptional({
    description: 'Why it would not.',
    example: 'signed 60 of 100, 67/100 needed',
  })
  reason?: string;

  @ApiProperty({ description: 'How many have signed.', example: 4 })
  signers!: number;

  @ApiProperty({
    description: 'Their weight in the set that the receiving chain verifies with.',
    example: '80',
  })
  signedWeight!: string;

  @ApiProperty({ description: 'The weight of that set.', example: '100' })
  totalWeight!: string;

  @ApiProperty({ description: 'The percentage, two decimals, rounded down.', example: 80 })
  signedPercentage!: number;

  @ApiProperty({
    description:
      "The percentage that the receiving chain's Warp precompile demands; 67 where it is not known.",
    example: 67,
  })
  quorumNumerator!: number;

  @ApiProperty({ description: 'Of how many.', example: 100 })
  quorumDenominator!: number;
}

/** All that is needed to deliver a signed message. */
export class DeliveryResponse {
  @ApiProperty({ description: 'The blockchain that receives the message.', example: EXAMPLE_ID })
  destinationBlockchainId!: string;

  @ApiProperty({ description: 'Whose validators it takes the word of.', example: EXAMPLE_ID })
  signingSubnetId!: string;

  @ApiProperty({ description: 'P-chain height of the validators that it verifies with.', example: '4711' })
  pChainHeight!: string;

  @ApiPropertyOptional({
    type: DeliveryEpoch,
    description: 'The epoch with that height; absent where epochs are not active.',
  })
  epoch?: DeliveryEpoch;

  @ApiPropertyOptional({
    type: [AccessListEntry],
    description: 'EIP-2930 access list of the delivering transaction; absent for the P-chain.',
  })
  accessList?: AccessListEntry[];

  @ApiPropertyOptional({
    description: 'Gas that the verification costs the transaction, beside its call; absent for the P-chain.',
    example: 128000,
  })
  predicateGas?: number;

  @ApiProperty({
    type: VerificationResponse,
    description: "The receiving chain's check, made here with the validators of its epoch.",
  })
  verification!: VerificationResponse;
}
