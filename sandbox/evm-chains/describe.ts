import type { ServedEvmChain } from './served-evm-chain.js';

/** For people, and for programs that need ids that exist: ids, dates, whom the blocks are about, NFTs and messages. */
export function describeEvmChain(chain: ServedEvmChain) {
  return {
    chainId: String(Number(chain.recording.chainId)),
    blockchainId: chain.recording.blockchainId,
    lastRecordedBlock: String(chain.recording.blocks.length - 1),
    behaviour: chain.behaviour,
    firstDate: dateOf(chain, 1),
    lastDate: dateOf(chain, chain.tip),
    addresses: chain.recording.addresses,
    nfts: chain.recording.nfts,
    messages: chain.recording.messages,
  };
}

/** YYYY-MM-DD of a block's time; of block 0, which is years older, where there is no other. */
function dateOf(chain: ServedEvmChain, height: number): string {
  const at = Math.min(height, chain.tip);
  // Only a calendar is no fault; what is wrong with the times otherwise is for clients to find out.
  const shown = chain.behaviour.kind === 'calendar' ? chain.at(at) : chain.recording.blocks[at];
  return new Date(Number(shown?.block.timestamp ?? 0) * 1000).toISOString().slice(0, 10);
}
