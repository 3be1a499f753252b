import type { ApiBodyOptions } from '@nestjs/swagger';

type SchemaOf<T> = T extends { schema: infer S } ? S : never;

export const AGGREGATE_DESCRIPTION =
  'Gathers validator signatures for a Warp message until the quorum plus the buffer, and returns the signed message.';

export const AGGREGATE_BY_TRANSACTION_DESCRIPTION = `
The signed message that an L1's validator manager waits for after a P-chain transaction; message and justification are built from
the transaction.

| Transaction | Message |
|---|---|
| ConvertSubnetToL1 | SubnetToL1Conversion |
| RegisterL1Validator | L1ValidatorRegistration, registered |
| SetL1ValidatorWeight, weight above 0 | L1ValidatorWeight |
| SetL1ValidatorWeight, weight 0 | L1ValidatorRegistration, not registered |

The validators of the subnet of the manager's blockchain sign (the L1 itself, or the primary network for a manager on the C-chain),
with a quorum of 67 % and no buffer. The P-chain height is that of the current epoch of the manager's blockchain, which it verifies
with; the proposed height where the network's node does not tell the epoch or no longer has its validators, or where the subnet had none
yet.

| Status | When |
|---|---|
| 400 | \`txHash\` is no 32-byte id; a P-chain transaction of another kind, or an aborted one; an X-chain transaction |
| 404 | no transaction of the P- or X-chain; not committed yet, or dropped; the validation is over, or a later weight has replaced this one (P-chain validators sign only what is true now); the registration of a removed validator is not in the index of the P-chain, then the other endpoint takes it as the justification |
`;

export const transactionHash = {
  type: 'string',
  description: 'Id of a P-chain transaction, cb58 or hex with an optional 0x.',
} as const;

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
        'What P-chain nodes need to check the message; hex with an optional 0x. Alone when the message follows from it: a subnet id ' +
        '(32 bytes) asks for the SubnetToL1Conversion of that subnet, a RegisterL1Validator message for the L1ValidatorRegistration that is ' +
        'true now (registered or not), an L1ValidatorRegistrationJustification (protobuf) for the one that says not registered. ' +
        'L1ValidatorWeight needs its message.',
    },
    signingSubnetId: {
      type: 'string',
      description:
        'Subnet whose validators sign, hex or cb58. Default: the subnet of the source blockchain. A chain of an L1 verifies messages ' +
        "of the P-, X- and C-chain with the L1's own validators: give the L1's subnet for those.",
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
      description:
        'P-chain height of the validator set; 0 is the proposed height. An EVM chain verifies with the height of its current epoch ' +
        '(ACP-181): 0 to 10 minutes old on a busy chain, as old as its last blocks on an idle one. The bit set of signers counts ' +
        'places in the set of that height, and every validator that joined or left in between shifts them: a message that was signed ' +
        "for another set is then invalid, not merely short of weight. So give the receiving chain's epoch height here, or its id as " +
        'destinationBlockchainId. Public nodes have the sets of about the last 1000 heights only; an older one needs a node of ' +
        'your own.',
    },
    destinationBlockchainId: {
      type: 'string',
      description:
        "Blockchain that will verify the message, hex or cb58: its current epoch's P-chain height is used, which the network's node " +
        'tells (proposervm.getCurrentEpoch); the proposed height where epochs are not active. Excludes a pChainHeight other than 0. ' +
        '400 for an unknown blockchain, 502 for one that the node does not run.',
    },
  },
};
