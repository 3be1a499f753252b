import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { atomicBlocks } from '../support/evm/atomic-blocks.js';
import { startEvmChain, TEST_CHAIN } from '../support/evm/evm-index.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { spawnProcess } from '../support/harness/processes.js';

const BLOCKS = atomicBlocks(30);
const HASH = String(BLOCKS[20]?.block.hash);

describe('npm run supply', () => {
  let node: Sandbox;
  let database: DataSource;

  beforeAll(async () => {
    node = await startEvmChain(BLOCKS);
    database = await createMigratedDatabase();
  });

  const supply = async (...args: string[]) => {
    const chains = [{ network: 'fuji', chainId: TEST_CHAIN.chainId, rpcUrls: [node.cChainUrl] }] as const;
    const command = await spawnProcess({
      entry: 'dist/bundled/src/supply.js',
      args,
      env: {
        DATABASE_URL: String(Reflect.get(database.options, 'url')),
        EVM_CHAINS_FILE: writeEvmChainsFile(chains),
      },
    });
    const { code } = await command.exited;
    return { code, output: command.output };
  };
  const baseline = (given: Record<string, string>) => {
    const all = { network: 'fuji', height: '20', hash: HASH, burned: '0.5', ...given };
    return supply('baseline', ...Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]));
  };

  it('imports what has been burned up to a block that a node confirms, shows it and forgets it', async () => {
    const shown = [{ network: 'fuji', height: '20', blockHash: HASH, burned: '500000000' }];
    const imported = await baseline({});
    expect(JSON.parse(imported.output)).toMatchObject(shown);
    expect(JSON.parse((await supply('list')).output)).toMatchObject(shown);
    expect(await baseline({ burned: '1234.000000001' })).toMatchObject({ code: 0 });
    expect(JSON.parse((await supply('list')).output)).toMatchObject([{ burned: '1234000000001' }]);
    expect(await supply('forget', '--network', 'fuji')).toEqual({ code: 0, output: '[]\n' });
    expect(await supply('forget', '--network', 'fuji')).toMatchObject({ code: 2 });
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'another hash',
      { hash: `0x${'1'.repeat(64)}` },
      `block 20 of chain 43112 of fuji is ${HASH}, and not 0x1111`,
    ],
    ['a block that is still to come', { height: '30' }, 'the chain has not come to block 30 yet'],
    ['no height', { height: '0x14' }, 'height: is no height of a block'],
    ['no hash', { hash: '0xAB' }, "hash: is no block's hash"],
    ['no amount', { burned: '1e5' }, 'burned: is no amount of AVAX'],
    ['a network without a C-chain', { network: 'mainnet' }, 'no C-chain of mainnet is configured'],
  ])('refuses %s', async (_, given, message) => {
    const { code, output } = await baseline(given);
    expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining(message) });
    expect(await database.query('SELECT * FROM supply_baselines')).toEqual([]);
  });

  it('ends with a word of help for what it does not know', async () => {
    expect(await supply('dance')).toMatchObject({
      code: 2,
      output: expect.stringContaining('Usage: npm run supply'),
    });
    expect(await supply('list', '--colour')).toMatchObject({ code: 2 });
  });
});
