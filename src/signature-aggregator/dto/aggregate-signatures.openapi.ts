import type { ApiBodyOptions } from '@nestjs/swagger';

type SchemaOf<T> = T extends { schema: infer S } ? S : never;

/** The body's schema for the OpenAPI page; the truth that requests are parsed with is the Zod schema beside it. */
export const aggregateSignaturesBody: SchemaOf<ApiBodyOptions> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    message: {
      type: 'string',
      description: 'Unsigned Warp message, or the data of a SendWarpMessage log; hex with an optional 0x.',
    },
    justification: {
      type: 'string',
      description:
        'What P-chain nodes need to check the message; hex with an optional 0x. Alone when the message follows from it.',
    },
    signingSubnetId: {
      type: 'string',
      description: 'Subnet whose validators sign, hex or cb58. Default: the subnet of the source blockchain.',
    },
    quorumPercentage: { type: 'integer', minimum: 0, maximum: 100, default: 67 },
    quorumPercentageBuffer: {
      type: 'integer',
      minimum: 0,
      maximum: 100,
      default: 0,
      description: 'Weight beyond the quorum that is attempted; together at most 100.',
    },
    pChainHeight: {
      type: 'integer',
      minimum: 0,
      default: 0,
      description: 'P-chain height of the validator set; 0 is the proposed height.',
    },
  },
};
