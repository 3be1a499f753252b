import type { SandboxOptions } from '../options.js';
import { evmChainOf, generateEvmChain } from './evm-chain-generator.js';
import { localGenesis, pChainOf, PChainGenerator } from './p-chain-generator.js';
import { xChainOf, xGenesis, XChainGenerator } from './x-chain-generator.js';

/** As on every local network. */
const C_CHAIN_EVM_ID = 43_112n;

/**
 * A P-, an X- and a C-chain of that many blocks each from a local network's genesis on, always the same: consistent, but made up,
 * and nothing moves between them.
 */
export async function generatedChains(
  blocks: number,
): Promise<Required<Pick<SandboxOptions, 'recording' | 'xChainRecording' | 'evmRecordings'>>> {
  const recording = await pChainOf(new PChainGenerator(await localGenesis()).take(blocks));
  const avmGenesis = await xGenesis();
  const cChain = {
    chainId: C_CHAIN_EVM_ID,
    blockchainId: recording.blockchainIds.C,
    blocks: generateEvmChain({ blocks }),
  };
  return {
    recording,
    xChainRecording: xChainOf(avmGenesis, new XChainGenerator(avmGenesis).take(blocks)),
    evmRecordings: [evmChainOf(cChain)],
  };
}
