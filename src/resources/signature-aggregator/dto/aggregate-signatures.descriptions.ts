import { AGGREGATION_UNITS } from '../../../access/limits/units.js';

const PRICE = `\`x-cost\` is ${AGGREGATION_UNITS.stored} for a stored answer, ${AGGREGATION_UNITS.collected} for one that was collected, and
${AGGREGATION_UNITS.refused} when the validators were asked and too few signed.`;

export const AGGREGATE_DESCRIPTION = `
Gathers validator signatures for a Warp message until the quorum plus the buffer is reached, and returns the signed message.
${PRICE} Of a caller whose messages the validators did not know lately, a few validators are asked first.
`;

export const AGGREGATE_BY_TRANSACTION_DESCRIPTION = `
Returns the signed message that an L1's validator manager waits for after a P-chain transaction. Message and justification are built from
the transaction.

| Transaction | Message |
|---|---|
| ConvertSubnetToL1 | SubnetToL1Conversion |
| RegisterL1Validator | L1ValidatorRegistration, registered |
| SetL1ValidatorWeight, weight above 0 | L1ValidatorWeight |
| SetL1ValidatorWeight, weight 0 | L1ValidatorRegistration, not registered |

The signers are the validators of the subnet that the manager's blockchain belongs to (the L1 itself, or the primary network for a manager on the C-chain),
with a quorum of 67 % and no buffer. The P-chain height is that of the current epoch of the manager's blockchain, which that chain verifies
with. The proposed height is used if the network's node does not report the epoch or no longer has its validators, or if the subnet had none
yet.

${PRICE}

| Status | When |
|---|---|
| 400 | \`txHash\` is not a 32-byte id; it is a P-chain transaction of another kind, or an aborted one; it is an X-chain transaction |
| 404 | it is not a transaction of the P- or X-chain; it is not committed yet, or was dropped; the validation is over, or a later weight has replaced this one (P-chain validators sign only what is currently true); the registration of a removed validator is not in the index of the P-chain (use the other endpoint, with the registration as the justification) |
`;
