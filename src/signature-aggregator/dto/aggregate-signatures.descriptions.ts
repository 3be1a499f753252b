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
