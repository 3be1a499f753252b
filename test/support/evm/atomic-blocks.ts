import {
  type AtomicExport,
  signedAtomicTransaction,
} from '../../../src/avalanche/evm/blocks/atomic-transactions.js';
import type { Hex } from '../../../src/avalanche/evm/rpc/hex-values.js';
import { packBlob } from '../../../src/avalanche/codec/codec.js';
import { toHex } from '../../../src/avalanche/ids/hex.js';
import { list } from '../../../src/avalanche/platformvm/codec/field.js';
import { PRIMARY_NETWORK } from '../../../src/avalanche/platformvm/ids.js';
import { rawBlock, tracedBlock } from '../../../sandbox/generated/evm-block.js';
import type { RecordedEvmBlock } from '../../../sandbox/recording/evm-recording.js';

export const BURNED_ASSET = 'ab'.repeat(32);

const transactions = list(signedAtomicTransaction);

/** One export, of which all is burned, as extra data of a block. */
export function exportBurning(amount: bigint, nonce: bigint): Hex {
  const unsigned: AtomicExport = {
    type: 'Export',
    networkId: 5,
    blockchainId: 'ee'.repeat(32),
    destinationChain: PRIMARY_NETWORK,
    inputs: [{ address: 'cd'.repeat(20), amount, assetId: BURNED_ASSET, nonce }],
    exportedOutputs: [],
  };
  const bytes = packBlob((packer) => transactions.pack(packer, [{ unsigned, credentials: [] }]));
  return `0x${toHex(bytes)}`;
}

/**
 * Blocks without transactions, in which every tenth has one export that burns its height and a hundred; and the one at `repeatAt` has
 * that of block 10 once more, as some of mainnet's have.
 */
export function atomicBlocks(count: number, repeatAt?: number): RecordedEvmBlock[] {
  return Array.from({ length: count }, (_, height) => {
    const { block, receipts } = rawBlock(height);
    const source = height === repeatAt ? 10 : height;
    const blockExtraData = source % 10 === 0 ? exportBurning(100n + BigInt(source), BigInt(source)) : '0x';
    return tracedBlock({ block: { ...block, blockExtraData }, receipts });
  });
}
