import { parseAvmBlock } from '../../src/avalanche/avm/codec/block.js';
import { packAvmTransaction } from '../../src/avalanche/avm/codec/transaction.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { idToString } from '../../src/avalanche/ids/id.js';
import type { XChainContent } from '../recording/x-chain-recording.js';

/** A recorded or generated chain as the node of the sandbox looks things up in it: by ids in cb58, at its last block. */
export class RecordedXChain {
  private readonly blocks: readonly Uint8Array[];
  /** Made when one is first looked up by its id. */
  private ids: ReturnType<typeof readIds> | undefined;

  constructor(readonly recording: XChainContent) {
    this.blocks = recording.blocks.map(fromHex);
  }

  /** Of the last block. */
  get height(): number {
    return this.blocks.length - 1;
  }

  block(height: bigint): Uint8Array | undefined {
    return height > BigInt(this.height) ? undefined : this.blocks[Number(height)];
  }

  heightOf(blockId: string): bigint | undefined {
    return this.byId.heights.get(blockId);
  }

  transaction(txId: string): Uint8Array | undefined {
    return this.byId.transactions.get(txId);
  }

  /** As avm.getAssetDescription answers; by id or by the one alias there is. */
  asset(idOrAlias: string): Readonly<Record<string, unknown>> | undefined {
    const { assets, avaxAssetId } = this.recording;
    return assets[idOrAlias === 'AVAX' ? avaxAssetId : idOrAlias];
  }

  /** Throws AvmError for a recording that no chain could have made. */
  private get byId() {
    this.ids ??= readIds(this.blocks);
    return this.ids;
  }
}

function readIds(blocks: readonly Uint8Array[]) {
  const parsed = blocks.map(parseAvmBlock);
  return {
    heights: new Map(parsed.map(({ id, height }) => [idToString(fromHex(id)), height])),
    transactions: new Map(
      parsed
        .flatMap(({ transactions }) => transactions)
        .map((transaction) => [idToString(fromHex(transaction.id)), packAvmTransaction(transaction)]),
    ),
  };
}
