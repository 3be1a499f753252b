import { z } from 'zod';
import {
  DecimalSchema,
  HexSchema,
  IdSchema,
  NodeIdSchema,
  OwnerSchema,
  PublicKeyBytesSchema,
  TimestampSecondsSchema,
  Uint32Schema,
  Uint64Schema,
} from './schemas.js';

/** The map itself is the result; the shape printed in avalanchego's service.md is outdated. */
export const ValidatorsAtSchema = z
  .record(NodeIdSchema, z.object({ publicKey: PublicKeyBytesSchema.nullable(), weight: Uint64Schema }))
  .transform((validators) => Object.entries(validators).map(([nodeId, entry]) => ({ nodeId, ...entry })));

export const AllValidatorsAtSchema = z
  .object({
    validatorSets: z.record(
      IdSchema,
      z.object({
        validators: z.array(
          z
            .object({ publicKey: PublicKeyBytesSchema, weight: Uint64Schema, nodeIDs: z.array(NodeIdSchema) })
            .transform(({ nodeIDs, ...entry }) => ({ ...entry, nodeIds: nodeIDs })),
        ),
        totalWeight: Uint64Schema,
      }),
    ),
  })
  .transform(({ validatorSets }) => new Map(Object.entries(validatorSets)));

const L1ValidatorFields = {
  nodeID: NodeIdSchema,
  weight: Uint64Schema,
  startTime: TimestampSecondsSchema,
  validationID: IdSchema,
  publicKey: PublicKeyBytesSchema,
  remainingBalanceOwner: OwnerSchema,
  deactivationOwner: OwnerSchema,
  minNonce: Uint64Schema,
  balance: Uint64Schema,
} as const;

const StakerFields = {
  txID: IdSchema,
  nodeID: NodeIdSchema,
  startTime: TimestampSecondsSchema,
  endTime: TimestampSecondsSchema,
  weight: Uint64Schema,
  potentialReward: Uint64Schema.optional(),
} as const;

const DelegatorSchema = z
  .object({ ...StakerFields, rewardOwner: OwnerSchema.optional() })
  .transform(renameStaker);

/** One entry of a subnet's current validators that was added by a staking transaction, with or without stake. */
const StakerSchema = z
  .object({
    ...StakerFields,
    validationRewardOwner: OwnerSchema.optional(),
    delegationRewardOwner: OwnerSchema.optional(),
    accruedDelegateeReward: Uint64Schema.optional(),
    delegationFee: DecimalSchema.optional(),
    uptime: DecimalSchema.optional(),
    connected: z.boolean().optional(),
    signer: z.object({ publicKey: PublicKeyBytesSchema, proofOfPossession: HexSchema }).optional(),
    delegatorCount: Uint64Schema.optional(),
    delegatorWeight: Uint64Schema.optional(),
    delegators: z.array(DelegatorSchema).optional(),
    // Of validators that renew themselves only, since avalanchego v1.15.0.
    validatorAuthority: OwnerSchema.optional(),
    nextPeriod: Uint64Schema.optional(),
    autoCompoundRewardShares: Uint32Schema.optional(),
  })
  .transform(({ delegationFee, uptime, ...staker }) => ({
    kind: 'staker' as const,
    delegationFeePercentage: delegationFee,
    uptimePercentage: uptime,
    ...renameStaker(staker),
  }));

const L1ValidatorSchema = z
  .object(L1ValidatorFields)
  .transform((validator) => ({ kind: 'l1' as const, ...renameL1Validator(validator) }));

/** A subnet converted to an L1 may still list permissioned stakers beside its L1 validators. */
export const CurrentValidatorSchema = z.unknown().pipe(z.union([L1ValidatorSchema, StakerSchema]));

export const GetL1ValidatorSchema = z
  .object({ ...L1ValidatorFields, subnetID: IdSchema, height: Uint64Schema })
  .transform(({ subnetID, height, ...validator }) => ({
    ...renameL1Validator(validator),
    subnetId: subnetID,
    height,
  }));

export const SubnetSchema = z
  .object({
    isPermissioned: z.boolean(),
    controlKeys: z.array(z.string()),
    threshold: Uint32Schema,
    locktime: Uint64Schema,
    subnetTransformationTxID: IdSchema,
    conversionID: IdSchema,
    managerChainID: IdSchema,
    managerAddress: HexSchema.nullable(),
  })
  .transform(({ subnetTransformationTxID, conversionID, managerChainID, ...subnet }) => ({
    ...subnet,
    subnetTransformationTxId: subnetTransformationTxID,
    /** 32 zero bytes unless the subnet is an L1. */
    conversionId: conversionID,
    managerChainId: managerChainID,
  }));

function renameStaker<T extends z.infer<z.ZodObject<typeof StakerFields>>>({
  txID,
  nodeID,
  startTime,
  endTime,
  ...rest
}: T) {
  return {
    txId: txID,
    nodeId: nodeID,
    startTimestampSeconds: startTime,
    endTimestampSeconds: endTime,
    ...rest,
  };
}

function renameL1Validator(validator: z.infer<z.ZodObject<typeof L1ValidatorFields>>) {
  const { nodeID, validationID, startTime, ...rest } = validator;
  return { nodeId: nodeID, validationId: validationID, startTimestampSeconds: startTime, ...rest };
}

export type ValidatorAt = z.infer<typeof ValidatorsAtSchema>[number];
export type WarpValidatorSet = z.infer<typeof AllValidatorsAtSchema> extends Map<string, infer S> ? S : never;
export type StakerValidator = z.infer<typeof StakerSchema>;
export type L1Validator = z.infer<typeof L1ValidatorSchema>;
export type CurrentValidator = StakerValidator | L1Validator;
export type L1ValidatorAtTip = z.infer<typeof GetL1ValidatorSchema>;
export type Subnet = z.infer<typeof SubnetSchema>;
