import { z } from 'zod';
import { readRecordingFile } from './recording-file.js';

/**
 * A recorded life of a P-chain: every block, and what the node that recorded them answered at many of their heights. All of the node's
 * answers are the `result` as it printed it (avalanchego's vms/platformvm/service.go), where 64-bit numbers are strings; ids are cb58.
 * Bytes are lower-case hex without 0x. README.md describes how it was made.
 */

const HexBytesSchema = z.string().regex(/^([0-9a-f]{2})*$/);
const HeightSchema = z.string().regex(/^\d+$/);
/** An answer of the node, as it was: who reads it knows the method and parses what is needed. */
const AnswerSchema = z.record(z.string(), z.unknown());
const ByIdSchema = z.record(z.string(), AnswerSchema);
const BytesByKeySchema = z.record(z.string(), z.array(HexBytesSchema));

/** Fees of L1 validators, where they differ from those of the network's id; avalanchego's fee.Config. */
const RecordedValidatorFeeSchema = z.object({
  target: z.number().int(),
  /** nAVAX per second. */
  minPrice: z.number().int(),
  excessConversionConstant: z.number().int(),
});

const RecordedBlockSchema = z.object({
  height: HeightSchema,
  /** The block without proposervm envelope, as getBlockByHeight gives it. */
  bytes: HexBytesSchema,
  /** The container of the index API: the block with its envelope. Null for block 0, which is none of its containers. */
  container: HexBytesSchema.nullable(),
});

const RecordedAnswersSchema = z.object({
  /** The tip while all of the following was asked: by getHeight before and after. */
  height: HeightSchema,
  /** Step of the scenario that came before, for people. */
  step: z.string(),
  /** UNIX seconds of getTimestamp. */
  timestamp: z.number().int(),
  /** getCurrentSupply by subnet: the primary network and the elastic ones. */
  supply: ByIdSchema,
  /** getTotalStake by subnet, all that exist. */
  totalStake: ByIdSchema,
  /** The elements of getCurrentValidators by subnet, all that exist; with delegators, so asked for one node id each. */
  validators: z.record(z.string(), z.array(AnswerSchema)),
  /** getSubnet by subnet, without the primary network, which is none to the node. */
  subnets: ByIdSchema,
  /** getL1Validator by validation id of all that there ever were; null where the node knows none (any more). */
  l1Validators: z.record(z.string(), AnswerSchema.nullable()),
  /** getUTXOs by address: spendable on the P-chain, without staked ones. Sorted. */
  utxos: BytesByKeySchema,
  /** getUTXOs with a source chain, by `<chain alias> <address>`: waiting to be imported into the P-chain. Sorted. */
  atomicUtxos: BytesByKeySchema,
  /**
   * getRewardUTXOs, in the node's order, by the staker's transaction of all stakers there ever were, and by those that
   * ended a cycle of a validator that renews itself.
   */
  rewardUtxos: BytesByKeySchema,
});

export const PChainRecordingSchema = z.object({
  description: z.string(),
  /** info.getNodeVersion's `version`. */
  avalanchegoVersion: z.string(),
  networkId: z.number().int(),
  /** AVAX, cb58. */
  avaxAssetId: z.string(),
  /** cb58. */
  blockchainIds: z.object({ X: z.string(), C: z.string() }),
  /** info.upgrades. */
  upgrades: z.record(z.string(), z.union([z.string(), z.number()])),
  /** The P-chain's genesis, for networks whose genesis is not in the project; otherwise null. */
  genesis: HexBytesSchema.nullable(),
  /** Null where it is what all networks of this kind have. */
  validatorFee: RecordedValidatorFeeSchema.nullable().default(null),
  /** From block 0 on, in order. */
  blocks: z.array(RecordedBlockSchema).nonempty(),
  /** Every address of the scenario, as P-… */
  addresses: z.array(z.string()),
  /** In order of height; the last one is at the last block. */
  answers: z.array(RecordedAnswersSchema).nonempty(),
  /** At the last block: getSubnets, getBlockchains, and getTxStatus by transaction id. */
  final: z.object({
    subnets: z.array(AnswerSchema),
    blockchains: z.array(AnswerSchema),
    txStatus: ByIdSchema,
  }),
});

export type RecordedValidatorFee = z.infer<typeof RecordedValidatorFeeSchema>;
export type RecordedBlock = z.infer<typeof RecordedBlockSchema>;
export type RecordedAnswers = z.infer<typeof RecordedAnswersSchema>;
export type PChainRecording = z.infer<typeof PChainRecordingSchema>;

/** Reads a recording, plain (`.json`) or compressed with brotli (`.json.br`). Throws ZodError on any other content. */
export function readPChainRecording(file: string | URL): PChainRecording {
  return PChainRecordingSchema.parse(readRecordingFile(file));
}
