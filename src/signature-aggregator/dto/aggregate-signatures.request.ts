import { z } from 'zod';
import { MAX_PAYLOAD_BYTES } from '../../avalanche/warp/payload/limits.js';
import { hexSchema, IdSchema } from '../../http/schemas/hex.schema.js';
import { NetworkSchema } from '../../http/schemas/network.schema.js';

/** Header of an unsigned message, its payload, and what the ABI form of a log adds. Validators sign nothing longer. */
const MAX_MESSAGE_BYTES = 42 + MAX_PAYLOAD_BYTES + 96;
/** The longest justification is a RegisterL1Validator message with its owners, far below this. */
const MAX_JUSTIFICATION_BYTES = 16 * 1024;
export const DEFAULT_QUORUM_PERCENTAGE = 67;

const PercentageSchema = z
  .number({ error: 'must be an integer from 0 to 100' })
  .int({ error: 'must be an integer from 0 to 100' })
  .min(0, { error: 'must be an integer from 0 to 100' })
  .max(100, { error: 'must be an integer from 0 to 100' });

const NO_BYTES = new Uint8Array(0);

/** Rules over several fields say nothing useful while one of the fields is wrong by itself. */
const isOtherwiseValid = ({ issues }: { issues: readonly unknown[] }) => issues.length === 0;

/** Body of POST aggregateSignatures. Defaults are applied before the rule on the sum. */
export const AggregateSignaturesRequestSchema = z
  .strictObject(
    {
      message: hexSchema({ maxBytes: MAX_MESSAGE_BYTES }).default(NO_BYTES),
      justification: hexSchema({ maxBytes: MAX_JUSTIFICATION_BYTES }).default(NO_BYTES),
      signingSubnetId: IdSchema.optional(),
      quorumPercentage: PercentageSchema.default(DEFAULT_QUORUM_PERCENTAGE),
      quorumPercentageBuffer: PercentageSchema.default(0),
      pChainHeight: z
        .number({ error: 'must be a P-chain height, or 0 for the proposed one' })
        .int({ error: 'must be an integer' })
        .min(0, { error: 'must not be negative' })
        .default(0),
      /** Ours, beyond the specification. */
      destinationBlockchainId: IdSchema.optional(),
    },
    { error: (issue) => (issue.code === 'invalid_type' ? 'the body must be a JSON object' : undefined) },
  )
  .refine(({ message, justification }) => message.length > 0 || justification.length > 0, {
    error: 'either message or justification must be provided',
    when: isOtherwiseValid,
  })
  .refine(
    ({ quorumPercentage, quorumPercentageBuffer }) => quorumPercentage + quorumPercentageBuffer <= 100,
    {
      error: `quorumPercentage (default ${DEFAULT_QUORUM_PERCENTAGE}) + quorumPercentageBuffer must not exceed 100`,
      when: isOtherwiseValid,
    },
  )
  .refine(
    ({ pChainHeight, destinationBlockchainId }) =>
      pChainHeight === 0 || destinationBlockchainId === undefined,
    {
      error: "destinationBlockchainId means the height of that chain's epoch: leave pChainHeight out",
      when: isOtherwiseValid,
    },
  );

export type AggregateSignaturesRequest = z.output<typeof AggregateSignaturesRequestSchema>;

/** Path of GET aggregateSignatures/{txHash}. */
export const TransactionParameterSchema = z.object({ network: NetworkSchema, txHash: IdSchema });

export type TransactionParameter = z.output<typeof TransactionParameterSchema>;
