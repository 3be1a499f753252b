import { expect } from '@jest/globals';
import { BatchRpcClient } from '../../src/avalanche/evm/batch-rpc-client.js';
import { EvmClient } from '../../src/avalanche/evm/evm-client.js';
import type { Address } from '../../src/avalanche/evm/hex-values.js';
import { readMovements, type BlockWithMovements } from '../../src/avalanche/evm/movement-reader.js';
import {
  askForChainUpgrades,
  mintsOfGenesis,
  mintsOfUpgrades,
  readGenesisAllocations,
} from '../../src/avalanche/evm/native-mints.js';
import type { Movement } from '../../src/avalanche/evm/transfers.js';
import { parseTransaction } from '../../src/avalanche/platformvm/codec/transaction.js';
import { addressesIn, readBalances, readBlocks } from '../../src/localnet/c-chain/c-chain-recorder.js';
import type { EvmChain } from '../../src/localnet/l1/evm-chain.js';
import type { Scenario } from '../../src/localnet/scenario/context.js';
import { toText } from '../../src/localnet/scenario/wallet.js';
import { NativeBalances } from './native-balances.js';

const RPC_TIMEOUT_MS = 20_000;

/** All movements of an L1 by height, also those that belong to no transaction: as an index finds them. */
export async function readL1(
  { platform }: Scenario,
  { node, blockchainId }: EvmChain,
): Promise<Movement[][]> {
  const rpc = new BatchRpcClient({ urls: [node.endpoint], timeoutMs: RPC_TIMEOUT_MS });
  const client = new EvmClient(rpc);
  try {
    const toHeight = await client.blockNumber();
    const blocks = await readMovements({ client, traces: 'auto', fromHeight: 0n, toHeight });
    expect(blocks.filter(({ isTraced }) => !isTraced)).toEqual([]);
    const { unsigned } = parseTransaction(await platform.getTx({ txId: toText(blockchainId) }));
    if (unsigned.type !== 'CreateChain') throw new Error(`${unsigned.type} creates no chain`);
    const allocations = readGenesisAllocations(new TextDecoder().decode(unsigned.genesisData));
    const upgrades = await askForChainUpgrades(rpc);
    const timeOf = ({ block }: BlockWithMovements): number => block.timestampSeconds;
    return blocks.map((block, height) => {
      const parent = blocks[height - 1];
      const mints =
        parent === undefined
          ? mintsOfGenesis(allocations)
          : mintsOfUpgrades(upgrades, {
              timestampSeconds: timeOf(block),
              parentTimestampSeconds: timeOf(parent),
            });
      return [...mints, ...block.movements];
    });
  } finally {
    client.close();
  }
}

/** At each height and to the wei, of everybody whom a block, a receipt, a trace or a movement names. */
export async function expectSameL1Balances(
  movements: readonly (readonly Movement[])[],
  { node }: EvmChain,
): Promise<void> {
  const blocks = (await readBlocks(node)).slice(0, movements.length);
  const moving = movements.flat().flatMap(({ from, to }) => [from, to]);
  const everybody = [...new Set<Address>([...blocks.flatMap(addressesIn), ...moving])];
  const balances = await readBalances(node, everybody, movements.length);
  const found = new NativeBalances(everybody);
  for (const [height, own] of movements.entries()) {
    found.addMovements(own);
    const real = everybody.map((address) => [address, BigInt(balances[address]?.[height] ?? -1)] as const);
    expect({ height, sums: found.sums }).toEqual({ height, sums: new Map(real) });
  }
}
