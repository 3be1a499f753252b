import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { packAddress } from '../../src/avalanche/ids/address.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { nodeIdToString } from '../../src/avalanche/ids/node-id.js';
import { Database } from '../../src/platform/database/database.js';
import { MAX_STREAMS_PER_CALLER } from '../../src/resources/changes/open-streams.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import { eventually } from '../support/harness/eventually.js';
import { insertRows, moveIndex } from '../support/http/begun-indexes.js';
import { ChangesApp } from '../support/http/changes-app.js';
import { ChangeStream } from '../support/http/change-stream.js';

const C_CHAIN = { chainId: 43113n, blockchainId: 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp' };
const CHAINS = ['P', 'X', 'C'] as const;
const NODE = 'ab'.repeat(20);
const QUERY = {
  network: 'fuji',
  addresses: [packAddress({ hrp: 'fuji', bytes: fromHex(NODE) }), `0x${NODE}`].join(','),
  nodeIds: nodeIdToString(fromHex(NODE)),
};
const MOVES = 3;
const MANY = 100;

const isOfHeights = (text: string): boolean => text.includes('index_coverage');
/** Of the present and of one or two before it: streams do not all read at the same time. */
const PLACES = 3;

describe('what streams ask of Postgres', () => {
  let app: ChangesApp;
  let query: jest.SpiedFunction<Database['query']>;
  let height = 100;

  const statements = (): string[] => query.mock.calls.map(([{ text }]) => text);
  const readings = (): number => statements().filter(isOfHeights).length;

  /** A block of each chain. */
  const move = async (): Promise<void> => {
    height += 1;
    for (const chain of CHAINS) {
      const place = { network: 'fuji', chain, cChainId: C_CHAIN.chainId } as const;
      await moveIndex(new Database(app.dataSource), place, height);
    }
  };

  const open = (count: number): Promise<ChangeStream[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) => {
        const caller = `10.0.0.${Math.floor(index / MAX_STREAMS_PER_CALLER)}`;
        return ChangeStream.open(app.url, QUERY, { 'x-forwarded-for': caller });
      }),
    );

  beforeAll(async () => {
    const file = writeEvmChainsFile([{ ...C_CHAIN, rpcUrls: ['http://127.0.0.1:1'] }]);
    app = await ChangesApp.start({ EVM_CHAINS_FILE: file });
    query = jest.spyOn(app.database, 'query');
    await move();
  });

  it.each([1, MANY])('does not depend on how many there are where blocks have nothing: %i', async (count) => {
    const streams = await open(count);
    query.mockClear();
    for (let moved = 0; moved < MOVES; moved += 1) {
      const before = readings();
      await move();
      // Each stream has had one of them by then.
      await eventually('another look', () => readings() > before + 1);
    }
    const ofBlocks = statements().filter((text) => text.includes('hasChanges')).length;
    expect(ofBlocks).toBeGreaterThanOrEqual(CHAINS.length * (MOVES - 1));
    expect(ofBlocks).toBeLessThanOrEqual(CHAINS.length * (MOVES + 1) * PLACES);
    // Heights and progress at each look; the ids of the network every few seconds.
    expect(statements().length - ofBlocks).toBeLessThanOrEqual(3 * readings());
    for (const stream of streams) stream.close();
    await eventually('their places are free', async () => (await app.openStreams()) === 0);
  });

  it('is the question of each stream alone once a block has something', async () => {
    const streams = await open(2 * MAX_STREAMS_PER_CALLER);
    query.mockClear();
    await insertRows(app.dataSource, 'validator_set_members', [
      {
        network: 'fuji',
        subnet_id: `\\x${'00'.repeat(32)}`,
        member_id: `\\x${NODE}`,
        node_id: `\\x${NODE}`,
        from_height: height + 1,
        until_height: '9223372036854775807',
        weight: '1',
      },
    ]);
    await move();
    for (const stream of streams) {
      const [event] = await stream.until(1);
      expect(event).toMatchObject({ event: 'validator.changed', data: { blockNumber: String(height) } });
    }
    const own = statements().filter((text) => text.includes('AS change')).length;
    expect(own).toBe(streams.length);
    for (const stream of streams) stream.close();
  });
});
