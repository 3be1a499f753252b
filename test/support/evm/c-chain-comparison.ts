import { expect } from '@jest/globals';
import {
  readAtomicTransfers,
  WEI_PER_NANO_AVAX,
} from '../../../src/avalanche/evm/blocks/atomic-transactions.js';
import { directionOf, formatCsvRow } from '../../../src/exports/rows/csv.js';
import { EvmClient } from '../../../src/avalanche/evm/rpc/evm-client.js';
import type { Address } from '../../../src/avalanche/evm/rpc/hex-values.js';
import {
  readMovements,
  type BlockWithMovements,
} from '../../../src/avalanche/evm/transfers/movement-reader.js';
import { mintsOfGenesis } from '../../../src/avalanche/evm/transfers/native-mints.js';
import {
  readTokenMetadata,
  type TokenMetadata,
} from '../../../src/avalanche/evm/transfers/token-metadata.js';
import type { Movement } from '../../../src/avalanche/evm/transfers/transfers.js';
import type { EvmRecording } from '../../../sandbox/recording/evm-recording.js';
import { expectCsvRows, expectMovements, readExpectedTokens } from './c-chain-second-implementation.js';
import { localCChainGenesis } from '../real-nodes/local-c-chain-genesis.js';
import { NativeBalances } from './native-balances.js';
import { RPC_TIMEOUT_MS } from '../../../tools/localnet/local-network.js';

export const NATIVE_AVAX = { symbol: 'AVAX', name: null, decimals: 18 };
export const CHAIN_NAME = 'chain 43112';

/** A chain as our own code reads it from a node. */
export interface ReadChain {
  readonly blocks: readonly BlockWithMovements[];
  readonly tokens: ReadonlyMap<Address, TokenMetadata>;
}

/** All blocks that were recorded, from a node that has them. */
export async function readCChain(nodeUrl: string, recording: EvmRecording): Promise<ReadChain> {
  const client = EvmClient.connect({ urls: [`${nodeUrl}/ext/bc/C/rpc`], timeoutMs: RPC_TIMEOUT_MS });
  try {
    const toHeight = BigInt(recording.blocks.length - 1);
    const blocks = await readMovements({ client, traces: 'auto', fromHeight: 0n, toHeight });
    const contracts = blocks.flatMap(({ movements }) => movements.flatMap(({ contract }) => contract ?? []));
    const tokens = await readTokenMetadata({ client, contracts: [...new Set(contracts)] });
    return { blocks, tokens: new Map(tokens.map((token) => [token.contract, token])) };
  } finally {
    client.close();
  }
}

/** The second implementation's rows about everybody. */
export function expectSameRows(found: ReadChain, recording: EvmRecording): void {
  const hashes = found.blocks.map(({ block }) => block.hash);
  expect(hashes).toEqual(recording.blocks.map(({ block }) => block.hash));
  expect(found.blocks.filter(({ isTraced }) => !isTraced)).toEqual([]);
  const chainId = BigInt(recording.chainId);
  const everybody = addressesOf(recording);
  const expected = expectCsvRows({
    chainId,
    chainName: CHAIN_NAME,
    native: NATIVE_AVAX,
    blocks: recording.blocks,
    tokens: readExpectedTokens(recording),
    addresses: everybody,
  });
  expect(expected).toHaveLength(recording.blocks.flatMap(expectMovements).length);
  expect(formatRows(found, chainId, new Set(everybody))).toEqual(expected);
}

function formatRows(found: ReadChain, chainId: bigint, addresses: ReadonlySet<Address>): string[] {
  return found.blocks.flatMap(({ block: { height, timestampSeconds, transactions }, movements }) =>
    movements.flatMap((movement) => {
      const transaction = transactions[movement.txIndex];
      const direction = directionOf(movement, addresses);
      if (transaction === undefined || direction === undefined) return [];
      const { isSuccess, methodId } = transaction;
      const { symbol, name, decimals } = assetOf(movement, found);
      const row = {
        chainId,
        chainName: CHAIN_NAME,
        height,
        timestampSeconds,
        movement,
        direction,
        isSuccess,
        methodId,
      };
      return [formatCsvRow({ ...row, symbol, name, decimals })];
    }),
  );
}

function assetOf(movement: Movement, { tokens }: ReadChain) {
  if (isNative(movement)) return NATIVE_AVAX;
  const token = movement.contract === null ? undefined : tokens.get(movement.contract);
  return token ?? { symbol: null, name: null, decimals: null };
}

/** At each height and to the wei: what genesis, movements, imports and exports add up to is what everybody has. */
export async function expectSameBalances(found: ReadChain, recording: EvmRecording): Promise<void> {
  const { avaxAssetId, allocations } = await localCChainGenesis();
  const balances = new NativeBalances(addressesOf(recording));
  balances.addMovements(mintsOfGenesis(allocations));
  for (const [height, { block, movements }] of found.blocks.entries()) {
    balances.addMovements(movements);
    balances.addAtomicTransfers(readAtomicTransfers(block), avaxAssetId);
    const recorded = addressesOf(recording).map(
      (address) => [address, BigInt(recording.balances[address]?.[height] ?? -1)] as const,
    );
    expect({ height, sums: balances.sums }).toEqual({ height, sums: new Map(recorded) });
  }
}

/** The imports and exports that were ordered when the chain was made, and no others. */
export function expectSameAtomicTransfers(found: ReadChain, recording: EvmRecording): void {
  const transfers = found.blocks.flatMap(({ block }) =>
    readAtomicTransfers(block).map(({ kind, address, amount }) => {
      const wei = (kind === 'IMPORT' ? amount : -amount) * WEI_PER_NANO_AVAX;
      return { height: Number(block.height), address, amount: wei.toString() };
    }),
  );
  expect(transfers).toEqual(recording.atomic);
}

function isNative({ kind }: Movement): boolean {
  return kind === 'NATIVE' || kind === 'INTERNAL' || kind === 'FEE';
}

function addressesOf({ balances }: EvmRecording): Address[] {
  return Object.keys(balances).map((address): Address => `0x${address.slice(2)}`);
}
