import { z } from 'zod';
import { readRecordingFile } from './recording-file.js';

/**
 * A recorded life of an X-chain: every block, and what the node answered at the end. Ids are cb58, bytes lower-case hex without 0x.
 * README.md describes how it was made.
 */

const HexBytesSchema = z.string().regex(/^([0-9a-f]{2})*$/);
/** Of UTXOs, sorted. */
const BytesByKeySchema = z.record(z.string(), z.array(HexBytesSchema));

export const XChainRecordingSchema = z.object({
  description: z.string(),
  /** info.getNodeVersion's `version`. */
  avalanchegoVersion: z.string(),
  networkId: z.number().int(),
  blockchainIds: z.object({ X: z.string(), C: z.string() }),
  /** AVAX. */
  avaxAssetId: z.string(),
  /** avm.getBlockByHeight, from block 0 on. */
  blocks: z.array(HexBytesSchema).nonempty(),
  /** Every address of the scenario, without a chain in front. */
  addresses: z.array(z.string()),
  /** avm.getUTXOs by address. */
  utxos: BytesByKeySchema,
  /** avm.getUTXOs with a source chain, by `<chain alias> <address>`: what waits to be imported. */
  atomicUtxos: BytesByKeySchema,
  /** getUTXOs of the other chains with the X-chain as source, by `<chain alias> <address>`: what waits there. */
  exportedUtxos: BytesByKeySchema,
  /** avm.getAssetDescription by asset. */
  assets: z.record(z.string(), z.record(z.string(), z.unknown())),
  /** The P-chain of the same network, as far as it went: platform.getBlockByHeight, and info.upgrades. */
  platform: z.object({
    blocks: z.array(HexBytesSchema).nonempty(),
    upgrades: z.record(z.string(), z.union([z.string(), z.number()])),
  }),
});

export type XChainRecording = z.infer<typeof XChainRecordingSchema>;

type ServedField =
  'networkId' | 'blockchainIds' | 'avaxAssetId' | 'utxos' | 'atomicUtxos' | 'exportedUtxos' | 'assets';

/** As much as a node serves, recorded or not. */
export interface XChainContent extends Readonly<Pick<XChainRecording, ServedField>> {
  readonly blocks: readonly string[];
  /** In the order of acceptance, before there were blocks; absent or null where the node has no index of them. */
  readonly transactionsBefore?: readonly string[] | null;
}

/** Reads a recording, plain (`.json`) or compressed with brotli (`.json.br`). Throws ZodError on any other content. */
export function readXChainRecording(file: string | URL): XChainRecording {
  return XChainRecordingSchema.parse(readRecordingFile(file));
}
