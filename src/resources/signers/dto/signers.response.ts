import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import { EXAMPLES } from '../../../platform/http/openapi/examples.js';
import { cb58, count, decimal, nanoAvax, text, unixSeconds } from '../../../platform/http/openapi/fields.js';

/** From what forbids most to what forbids nothing. */
const SIGNER_STATES = [
  'no_key',
  'no_balance',
  'not_observed',
  'unreachable',
  'wrong_key',
  'failing',
  'untested',
  'signing',
] as const;
export type SignerState = (typeof SIGNER_STATES)[number];

const PUBLIC_KEY =
  'a5a3b5e8eb4e4cc3f6d5b4c1c5f04a4e1b0fbc0c7b3b1f3d7c2b1a0f9e8d7c6b5a493827160f5e4d3c2b1a0f9e8d7c6b';

const percentage = (description: string, example: number) =>
  ({ type: 'number', minimum: 0, maximum: 100, description, example }) as const;

export class SignerAnswerResponse {
  @ApiProperty(unixSeconds('When the signature came in.', 1_795_307_538))
  timestamp!: number;

  @ApiProperty(count('How long the validator took. Milliseconds.', 85))
  latencyMs!: number;
}

export class SignerRefusalResponse {
  @ApiProperty(unixSeconds('When the validator refused, or was given up.', 1_795_307_538))
  timestamp!: number;

  @ApiProperty(
    text('In which way; of a refusal with the code and text of the validator.', 'no answer in time'),
  )
  message!: string;
}

export class SignerResponse {
  @ApiPropertyOptional(
    text(
      'The validator; absent where the network does not name it, as of an inactive one of an L1.',
      EXAMPLES.nodeId,
    ),
  )
  nodeId?: string;

  @ApiPropertyOptional(cb58('Validation of the L1.', '2ZWbYgqXKzvQGKqYB2QyPAXPnmL4qMPZx5yKBgXjkVdsz8nJQq'))
  validationId?: string;

  @ApiProperty(decimal('Weight in the set.', '2000000000000'))
  weight!: string;

  @ApiProperty(percentage('The same as a share of the total weight, rounded down.', 20))
  percentage!: number;

  @ApiPropertyOptional(text('Registered BLS key, 48 bytes in hex; absent without one.', PUBLIC_KEY))
  publicKey?: string;

  @ApiProperty({
    enum: SIGNER_STATES,
    description:
      '`signing`: connected, and has signed within a day; `untested`: connected, and no signature of it was needed lately; `failing`: its last request ' +
      'failed while others signed, or it refuses everything; `wrong_key`: its last signature did not verify against the registered key; ' +
      '`unreachable`: no process is connected to it; `not_observed`: no process has tried lately, as is so until signatures of this ' +
      'subnet are asked for; `no_balance`: its L1 balance is about to run out, so its signature is not counted; `no_key`: it cannot sign.',
  })
  state!: SignerState;

  @ApiPropertyOptional(text('The reason why it would not sign, for people.', 'not connected (refused)'))
  cause?: string;

  @ApiPropertyOptional(unixSeconds('Since when it has been connected, or not connected.', 1_795_307_538))
  connectionSince?: number;

  @ApiPropertyOptional(
    text('The software that it claimed to run when it was last connected.', 'avalanchego/1.15.0'),
  )
  version?: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    description: 'IP addresses that are known of it.',
    example: ['203.0.113.7'],
  })
  addresses!: string[];

  @ApiPropertyOptional({ type: SignerAnswerResponse, description: 'Its last signature.' })
  lastAnswer?: SignerAnswerResponse;

  @ApiPropertyOptional({
    type: SignerRefusalResponse,
    description: 'Its last failure, which may be about the message.',
  })
  lastRefusal?: SignerRefusalResponse;

  @ApiPropertyOptional(
    unixSeconds('When a signature of it last did not verify; absent once a later one did.', 1_795_307_538),
  )
  wrongKeyAt?: number;

  @ApiPropertyOptional(nanoAvax('Balance of its validation of the L1.', '1000000000'))
  balance?: string;

  @ApiPropertyOptional(unixSeconds('When that balance runs dry at the present price.', 1_797_307_538))
  balanceLastsUntil?: number;
}

export class LossesResponse {
  @ApiProperty(count('The fewest losses after which the quorum is out of reach; 0 if it is now.', 1))
  count!: number;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    description: 'Nodes of the validators whose loss does it, the heaviest first.',
    example: [EXAMPLES.nodeId],
  })
  nodeIds!: string[];
}

export class SignersResponse {
  @ApiProperty(cb58('The subnet.', PRIMARY_NETWORK_ID))
  subnetId!: string;

  @ApiProperty(
    decimal('P-chain height of the set: the proposed one. 0 for a subnet without validators.', '272'),
  )
  pChainHeight!: string;

  @ApiProperty(decimal('Weight of all validators.', '10000000000000'))
  totalWeight!: string;

  @ApiProperty(count('The quorum in question, percent.', 67))
  quorumPercentage!: number;

  @ApiProperty(percentage('Share that would sign now: `signing` and `untested` validators.', 80))
  signingPercentage!: number;

  @ApiProperty(percentage('Of these the share of the `signing` ones.', 80))
  provenPercentage!: number;

  @ApiProperty({ description: 'Whether what would sign now makes the quorum.', example: true })
  isQuorumMet!: boolean;

  @ApiProperty({ type: LossesResponse, description: 'How many more losses the quorum does not survive.' })
  losses!: LossesResponse;

  @ApiProperty({ type: [SignerResponse], description: 'All validators, the heaviest first.' })
  validators!: SignerResponse[];
}
