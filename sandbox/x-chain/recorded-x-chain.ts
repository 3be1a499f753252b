import { parseAvmBlock } from '../../src/avalanche/avm/codec/block.js';
import { packAvmTransaction } from '../../src/avalanche/avm/codec/transaction.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { idToString } from '../../src/avalanche/ids/id.js';
import type { XChainRecording } from '../recording/x-chain-recording.js';

/** A recording as the node of the sandbox looks things up in it: by ids in cb58, at its last block. */
export class RecordedXChain {
  private readonly blocks: readonly Uint8Array[];
  private readonly heights: ReadonlyMap<string, bigint>;
  private readonly transactions: ReadonlyMap<string, Uint8Array>;

  /** Throws AvmError for a recording that no chain could have made. */
  constructor(readonly recording: XChainRecording) {
    const blocks = recording.blocks.map((hex) => ({
      bytes: fromHex(hex),
      block: parseAvmBlock(fromHex(hex)),
    }));
    this.blocks = blocks.map(({ bytes }) => bytes);
    this.heights = new Map(blocks.map(({ block: { id, height } }) => [idToString(fromHex(id)), height]));
    this.transactions = new Map(
      blocks
        .flatMap(({ block }) => block.transactions)
        .map((transaction) => [idToString(fromHex(transaction.id)), packAvmTransaction(transaction)]),
    );
  }

  /** Of the last block. */
  get height(): number {
    return this.blocks.length - 1;
  }

  block(height: bigint): Uint8Array | undefined {
    return height > BigInt(this.height) ? undefined : this.blocks[Number(height)];
  }

  heightOf(blockId: string): bigint | undefined {
    return this.heights.get(blockId);
  }

  transaction(txId: string): Uint8Array | undefined {
    return this.transactions.get(txId);
  }

  /** As avm.getAssetDescription answers; by id or by the one alias there is. */
  asset(idOrAlias: string): Readonly<Record<string, unknown>> | undefined {
    const { assets, avaxAssetId } = this.recording;
    return assets[idOrAlias === 'AVAX' ? avaxAssetId : idOrAlias];
  }
}
