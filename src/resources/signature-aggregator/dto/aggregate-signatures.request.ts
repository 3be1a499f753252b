import { z } from 'zod';
import { MAX_PAYLOAD_BYTES } from '../../../avalanche/warp/payload/limits.js';
import { EXAMPLES } from '../../../platform/http/openapi/examples.js';
import { hexSchema, IdSchema } from '../../../platform/http/schemas/hex.schema.js';
import { NetworkSchema } from '../../../platform/http/schemas/network.schema.js';

/** Header of an unsigned message, its payload, and what the ABI form of a log adds. Validators sign nothing longer. */
export const MAX_MESSAGE_BYTES = 42 + MAX_PAYLOAD_BYTES + 96;
/** The longest justification is a RegisterL1Validator message with its owners, far below this. */
export const MAX_JUSTIFICATION_BYTES = 16 * 1024;
export const DEFAULT_QUORUM_PERCENTAGE = 67;

const PercentageSchema = z
  .number({ error: 'must be an integer from 0 to 100' })
  .int({ error: 'must be an integer from 0 to 100' })
  .min(0, { error: 'must be an integer from 0 to 100' })
  .max(100, { error: 'must be an integer from 0 to 100' });

const HEIGHT_RULE = `must be a P-chain height up to ${Number.MAX_SAFE_INTEGER}, or 0 for the proposed one`;

const NO_BYTES = new Uint8Array(0);

/** Rules over several fields are of no use while one of the fields is wrong by itself. */
const isOtherwiseValid = ({ issues }: { issues: readonly unknown[] }) => issues.length === 0;

/** Body of POST aggregateSignatures. Defaults are applied before the rule on the sum. */
export const AggregateSignaturesRequestSchema = z
  .strictObject(
    {
      message: hexSchema({ maxBytes: MAX_MESSAGE_BYTES })
        .meta({
          format: 'warp-message',
          description: `Unsigned Warp message, or the data of a SendWarpMessage log; hex with or without 0x, at most ${MAX_MESSAGE_BYTES} bytes. Required unless there is a justification.`,
          example: EXAMPLES.message,
        })
        .default(NO_BYTES),
      justification: hexSchema({ maxBytes: MAX_JUSTIFICATION_BYTES })
        .meta({
          format: 'justification',
          description:
            `The facts that P-chain nodes need to verify the message; hex with or without 0x, at most ${MAX_JUSTIFICATION_BYTES} bytes. Sufficient without a message if the message follows from it: a subnet id ` +
            '(32 bytes) requests the SubnetToL1Conversion of that subnet, a RegisterL1Validator message the L1ValidatorRegistration that is ' +
            'currently true (registered or not), an L1ValidatorRegistrationJustification (protobuf) the one that states "not registered". ' +
            'L1ValidatorWeight needs a message.',
        })
        .default(NO_BYTES),
      signingSubnetId: IdSchema.meta({
        description:
          'Subnet whose validators sign, hex or cb58. Default: with a destinationBlockchainId those whose word that chain takes, otherwise ' +
          'the subnet of the source blockchain. An L1 takes the word of its own validators for messages from the P-chain, and for those ' +
          'from the C- and X-chain unless its Warp precompile has requirePrimaryNetworkSigners.',
      }).optional(),
      quorumPercentage: PercentageSchema.meta({
        description:
          'Percentage of the weight that must sign; 0 means one signature. Default: with a destinationBlockchainId what that chain demands ' +
          `where that is more than ${DEFAULT_QUORUM_PERCENTAGE}.`,
        default: DEFAULT_QUORUM_PERCENTAGE,
      }).optional(),
      quorumPercentageBuffer: PercentageSchema.meta({
        description:
          'Percentage of weight beyond the quorum that the service tries to collect; the two together are at most 100.',
      }).default(0),
      pChainHeight: z
        .number({ error: HEIGHT_RULE })
        .int({ error: HEIGHT_RULE })
        .min(0, { error: HEIGHT_RULE })
        .meta({
          description:
            'P-chain height of the validator set; 0 is the proposed height. An EVM chain verifies with the height of its current epoch ' +
            '(ACP-181): 0 to 10 minutes old on a busy chain, as old as its last blocks on an idle one. The bit set of signers refers to ' +
            'positions in the set at that height, and every validator that joins or leaves shifts them: a message that was signed ' +
            "for another set is then invalid, not merely short of weight. So pass the receiving chain's epoch height here, or its id as " +
            'destinationBlockchainId. Public nodes have only the sets of about the last 1000 heights; an older one needs a node of ' +
            'your own.',
        })
        .default(0),
      /** Ours, beyond the specification. */
      destinationBlockchainId: IdSchema.meta({
        description:
          'Blockchain that will verify the message, hex or cb58. Those sign whose word it takes, at the P-chain height of its current epoch, ' +
          'as a node or its validators report it, or at the proposed height where epochs are not active; the answer has a delivery. Cannot ' +
          'be combined with a pChainHeight other than 0. An unknown blockchain is a 400, as is one of which nobody reports whom it trusts, ' +
          'and one whose epoch nobody reports a 502.',
      }).optional(),
    },
    { error: (issue) => (issue.code === 'invalid_type' ? 'the body must be a JSON object' : undefined) },
  )
  .refine(({ message, justification }) => message.length > 0 || justification.length > 0, {
    error: 'either message or justification must be provided',
    when: isOtherwiseValid,
  })
  .refine(
    ({ quorumPercentage = DEFAULT_QUORUM_PERCENTAGE, quorumPercentageBuffer }) =>
      quorumPercentage + quorumPercentageBuffer <= 100,
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
  )
  .meta({ example: { message: EXAMPLES.message, quorumPercentage: DEFAULT_QUORUM_PERCENTAGE } });

export type AggregateSignaturesRequest = z.output<typeof AggregateSignaturesRequestSchema>;

/** Path of GET aggregateSignatures/{txHash}. */
export const TransactionParameterSchema = z.object({
  network: NetworkSchema,
  txHash: IdSchema.meta({
    description: 'Id of a P-chain transaction, cb58 or hex with or without 0x.',
    example: EXAMPLES.conversionTxHash,
  }),
});

export type TransactionParameter = z.output<typeof TransactionParameterSchema>;
