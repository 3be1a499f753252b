import { z } from 'zod';
import type { Address, Hash, Hex } from '../../src/avalanche/evm/rpc/hex-values.js';
import { readRecordingFile } from './recording-file.js';

/**
 * A recorded life of an EVM chain: every block, and what the node that recorded them answered about it. All of the node's answers are as it
 * printed them (avalanchego v1.15.0 vms/saevm/sae/rpc, graft/subnet-evm internal/ethapi, or v1.14.2 graft/coreth internal/ethapi, and
 * libevm eth/tracers), where quantities are hex with 0x. README.md describes how it was made.
 */

export const HexSchema = z.custom<Hex>((value) => typeof value === 'string' && /^0x[0-9a-f]*$/.test(value));
const AddressSchema = z.custom<Address>(
  (value) => typeof value === 'string' && /^0x[0-9a-f]{40}$/.test(value),
);
const HashSchema = z.custom<Hash>((value) => typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value));

const LogSchema = z.looseObject({ address: AddressSchema, topics: z.array(HashSchema) });
const TransactionSchema = z.looseObject({ hash: HashSchema });

export const RecordedEvmBlockSchema = z.object({
  /** eth_getBlockByNumber with whole transactions. */
  block: z.looseObject({
    number: HexSchema,
    hash: HashSchema,
    parentHash: HashSchema,
    timestamp: HexSchema,
    /** Since Helicon: the last block whose outcome this one settles. */
    settledHeight: HexSchema.optional(),
    transactions: z.array(TransactionSchema),
  }),
  /** eth_getBlockReceipts. */
  receipts: z.array(z.looseObject({ transactionHash: HashSchema, logs: z.array(LogSchema) })),
  /** debug_traceBlockByNumber with callTracer; null for block 0, which no node traces. */
  traces: z.array(z.object({ txHash: HashSchema, result: z.looseObject({}) })).nullable(),
});

const CallSchema = z.object({
  to: AddressSchema,
  data: HexSchema,
  /** The bytes, or the node's refusal. */
  answer: z.union([
    z.object({ result: HexSchema }),
    z.object({ error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }) }),
  ]),
});

const DecimalSchema = z.string().regex(/^\d+$/);

const MessageSchema = z.object({
  messageId: HashSchema,
  /** Cb58. */
  sourceBlockchainId: z.string(),
  destinationBlockchainId: z.string(),
  nonce: DecimalSchema,
  from: AddressSchema,
  to: AddressSchema,
  data: HexSchema,
  /** Numbers of the messages whose receipts it carries. */
  receipts: z.array(DecimalSchema),
  /** All that has become of it, in order, as the messengers logged it. */
  steps: z.array(
    z.object({
      what: z.enum([
        'sent',
        'fee raised',
        'sent again',
        'delivered',
        'executed',
        'failed',
        'receipt delivered',
      ]),
      txHash: HashSchema,
      /** From then on, in the token's smallest unit. */
      fee: DecimalSchema.optional(),
    }),
  ),
});

export const EvmRecordingSchema = z.object({
  description: z.string(),
  /** web3_clientVersion. */
  avalanchegoVersion: z.string(),
  /** Cb58. */
  blockchainId: z.string(),
  /** eth_chainId. */
  chainId: HexSchema,
  /** Whom the scenario is about, and what each is. */
  addresses: z.array(z.object({ address: AddressSchema, what: z.string() })),
  /** From block 0 on, in order. */
  blocks: z.array(RecordedEvmBlockSchema).nonempty(),
  /** eth_getBalance by address, at each height from 0 on: of everybody whom blocks or traces name. */
  balances: z.record(AddressSchema, z.array(HexSchema)),
  /** eth_getCode by address at the last block, where there is any. */
  code: z.record(AddressSchema, HexSchema),
  /** eth_getChainConfig; absent where the node does not offer it. */
  chainConfig: z.looseObject({}).optional(),
  /** eth_call at the last block: what is asked of every contract that may be a token, and of the Warp precompile. */
  calls: z.array(CallSchema),
  /** Native value that came from other chains or went there (then negative), in wei; no transaction records it. */
  atomic: z.array(
    z.object({
      height: z.number().int(),
      address: AddressSchema,
      amount: z.string().regex(/^-?\d+$/),
    }),
  ),
  /** Tokens of which everything was asked that an NFT is asked, and what there is to be seen of their metadata. */
  nfts: z
    .array(z.object({ collection: AddressSchema, tokenId: DecimalSchema, what: z.string() }))
    .default([]),
  /** Interchain messages that were sent here, and those that came from chains which are not recorded. */
  messages: z.array(MessageSchema).default([]),
});

export type RecordedEvmBlock = z.infer<typeof RecordedEvmBlockSchema>;
export type RecordedCall = z.infer<typeof CallSchema>;
export type RecordedMessage = z.infer<typeof MessageSchema>;
export type EvmRecording = z.infer<typeof EvmRecordingSchema>;

/** Reads a recording, plain (`.json`) or compressed with brotli (`.json.br`). Throws ZodError on any other content. */
export function readEvmRecording(file: string | URL): EvmRecording {
  return EvmRecordingSchema.parse(readRecordingFile(file));
}
