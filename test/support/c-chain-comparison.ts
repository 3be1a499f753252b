import { expect } from '@jest/globals';
import { directionOf, formatCsvRow } from '../../src/avalanche/evm/csv.js';
import { EvmClient } from '../../src/avalanche/evm/evm-client.js';
import type { Address } from '../../src/avalanche/evm/hex-values.js';
import { readMovements, type BlockWithMovements } from '../../src/avalanche/evm/movement-reader.js';
import { readTokenMetadata, type TokenMetadata } from '../../src/avalanche/evm/token-metadata.js';
import type { Movement } from '../../src/avalanche/evm/transfers.js';
import type { CChainRecording } from '../../src/sandbox/recording/c-chain-recording.js';
import { expectCsvRows, expectMovements, readExpectedTokens } from './c-chain-second-implementation.js';

export const NATIVE_AVAX = { symbol: 'AVAX', decimals: 18 };

const RPC_TIMEOUT_MS = 20_000;

/** A chain as our own code reads it from a node. */
export interface ReadChain {
  readonly blocks: readonly BlockWithMovements[];
  readonly tokens: ReadonlyMap<Address, TokenMetadata>;
}

/** All blocks that were recorded, from a node that has them. */
export async function readCChain(nodeUrl: string, recording: CChainRecording): Promise<ReadChain> {
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

/** Row by row what the second implementation says about everybody. */
export function expectSameRows(found: ReadChain, recording: CChainRecording): void {
  const hashes = found.blocks.map(({ block }) => block.hash);
  expect(hashes).toEqual(recording.blocks.map(({ block }) => block.hash));
  expect(found.blocks.filter(({ isTraced }) => !isTraced)).toEqual([]);
  const chainId = BigInt(recording.chainId);
  const everybody = addressesOf(recording);
  const expected = expectCsvRows({
    ...{ chainId, native: NATIVE_AVAX, blocks: recording.blocks },
    ...{ tokens: readExpectedTokens(recording), addresses: everybody },
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
      const { symbol, decimals } = assetOf(movement, found);
      const row = { chainId, height, timestampSeconds, movement, direction, isSuccess, methodId };
      return [formatCsvRow({ ...row, symbol, decimals })];
    }),
  );
}

function assetOf(movement: Movement, { tokens }: ReadChain) {
  if (isNative(movement)) return NATIVE_AVAX;
  const token = movement.contract === null ? undefined : tokens.get(movement.contract);
  return token ?? { symbol: null, decimals: null };
}

/** At each height and to the wei: what movements of the native asset add up to is what balances have changed by. */
export function expectSameBalances(found: ReadChain, recording: CChainRecording): void {
  const sums = new Map<string, bigint>(addressesOf(recording).map((address) => [address, 0n]));
  const add = (address: string, amount: bigint): void =>
    void sums.set(address, (sums.get(address) ?? 0n) + amount);
  for (const [height, { movements }] of found.blocks.entries()) {
    for (const { from, to, amount } of movements.filter(isNative)) {
      add(from, -amount);
      add(to, amount);
    }
    for (const { address, amount } of recording.atomic.filter((atomic) => atomic.height === height)) {
      add(address, BigInt(amount));
    }
    const changes = Object.entries(recording.balances).map(([address, balances]) => {
      return [address, BigInt(balances[height] ?? -1) - BigInt(balances[0] ?? -1)] as const;
    });
    expect({ height, sums }).toEqual({ height, sums: new Map(changes) });
  }
}

function isNative({ kind }: Movement): boolean {
  return kind === 'NATIVE' || kind === 'INTERNAL' || kind === 'FEE';
}

function addressesOf({ balances }: CChainRecording): Address[] {
  return Object.keys(balances).map((address): Address => `0x${address.slice(2)}`);
}
