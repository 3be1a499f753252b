import { expect } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { Address } from '../../../src/avalanche/evm/rpc/hex-values.js';
import type { Movement } from '../../../src/avalanche/evm/transfers/transfers.js';
import { addressesIn, readBalances, readBlocks } from '../../../tools/localnet/c-chain/evm-recorder.js';
import type { EvmChain } from '../../../tools/localnet/l1/evm-chain.js';
import { toText } from '../../../tools/localnet/scenario/wallet.js';
import { eventually } from '../harness/eventually.js';
import { advanceUntilDone, createEvmIndex, rangesOf } from '../evm/evm-index.js';
import { advanceBriefly } from '../indexer.js';
import type { L1TestBed } from './local-l1.js';
import { movementsOnRecord } from '../evm/movements-on-record.js';
import { NativeBalances } from '../evm/native-balances.js';
import { createMigratedDatabase, openDatabase } from '../harness/database.js';

/** All movements of an L1 by height, as the index has them: also those that belong to no transaction. */
export async function indexL1({ l1: { chain }, service }: L1TestBed): Promise<Movement[][]> {
  const database = await createMigratedDatabase(); // the service indexes the L1 in another manner
  await copyCreation(service.databaseUrl, database, chain);
  const index = createEvmIndex(database, [chain.node.endpoint], {
    chain: { chainId: BigInt(chain.chainId), blockchainId: toText(chain.blockchainId) },
  });
  const { height: tip } = await advanceUntilDone(index.follower);
  for (const facet of ['base', 'traces'] as const) {
    await eventually(`all ${facet} of the L1`, async () => {
      await advanceBriefly(index[facet] ?? index.base);
      return (await rangesOf(database, facet, BigInt(chain.chainId))).join() === `0-${tip}`;
    });
  }
  expect(index.warnings).toEqual([]);
  const movements = await movementsOnRecord(database);
  const heights = Array.from({ length: Number(tip) + 1 }, (_, height) => BigInt(height));
  return heights.map((height) => movements.filter((each) => each.height === height));
}

/** Record of the P-chain's index about the chain's creation, with the balances that it begins with. */
async function copyCreation(from: string, to: DataSource, { blockchainId }: EvmChain): Promise<void> {
  const service = await openDatabase(from);
  const [creation] = await service.query<{ row: unknown }[]>(
    'SELECT to_jsonb(blockchains) AS row FROM blockchains WHERE blockchain_id = $1',
    [Buffer.from(blockchainId, 'hex')],
  );
  if (creation === undefined) throw new Error('the service does not know the L1');
  await to.query('INSERT INTO blockchains SELECT * FROM jsonb_populate_record(NULL::blockchains, $1)', [
    JSON.stringify(creation.row),
  ]);
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
