import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { logSetsOf } from '../../src/indexes/evm/sources/logs/log-sets.js';
import { insertLogs } from '../../src/indexes/evm/rows/log-rows.js';
import { evmChainKey } from '../../src/platform/database/chains.js';
import { MESSENGER } from '../../src/platform/evm-chains/evm-chain.js';
import { Projector } from '../../src/indexes/evm/projections/projector.js';
import { ChainChanges } from '../../src/indexes/evm/rows/chain-changes.js';
import { MessageProjection } from '../../src/resources/interchain-messages/message-projection.js';
import { evmChainOf } from '../../sandbox/generated/evm-chain-generator.js';
import { startSandbox } from '../../sandbox/sandbox.js';
import { advanceUntilDone, createEvmIndex, TEST_CHAIN } from '../support/evm/evm-index.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { anyJourney } from '../support/evm/any-journey.js';
import {
  BRIDGED,
  BridgeWorld,
  CROOK,
  type ExpectedMessage,
  PEOPLE,
  REMOTE_TOKEN,
} from '../support/evm/bridge-world.js';
import { isRecord, ListApi, TOKEN_REFUSAL } from '../support/http/list-api.js';
import { Messages } from '../support/signatures/messages.js';

const INDEXED = [BRIDGED.home, BRIDGED.one, BRIDGED.other];

const TRANSFERS_OF = {
  byAddress: (address: string): string => `/v1/icm/addresses/${address}/messages`,
  byTransaction: (hash: string): string => `/v1/icm/transactions/${hash}`,
};

describe('transfers in interchain messages', () => {
  let api: ListApi;
  let messages: Messages;

  beforeAll(async () => {
    api = await ListApi.start();
    messages = new Messages(api.dataSource);
  });

  const wipe = async (): Promise<void> => {
    await api.dataSource.query(
      'TRUNCATE icm_sends, icm_deliveries, icm_fees, icm_executions, icm_senders, icm_listings, icm_chains, evm_logs, evm_tokens',
    );
    const { chain, contract, name, symbol, decimals } = REMOTE_TOKEN;
    await api.dataSource.query(
      'INSERT INTO evm_tokens (chain_key, contract, name, symbol, decimals) VALUES ($1, $2, $3, $4, $5)',
      [evmChainKey(chain), Buffer.from(contract.slice(2), 'hex'), name, symbol, decimals],
    );
  };

  beforeEach(wipe);

  /** Each chain's logs come in pieces, the chains in turns, beginning with any of them. */
  const index = async (world: BridgeWorld, { pieces = 1, turn = 0 } = {}): Promise<void> => {
    const [set] = logSetsOf({ watch: ['messages'], messengers: [MESSENGER] });
    if (set === undefined) throw new Error('no messages are watched');
    for (let piece = 0; piece < pieces; piece++) {
      for (const [place] of INDEXED.entries()) {
        const chain = INDEXED[(place + turn) % INDEXED.length] ?? BRIDGED.home;
        const logs = (world.logs.get(chain) ?? []).filter((_, at) => at % pieces === piece);
        if (logs.length === 0) continue;
        await messages.database.transaction((transaction) => insertLogs(transaction, chain, set, logs));
        await messages.apply(chain, logs);
      }
    }
  };

  const list = (path: string, pageSize = 100): Promise<Record<string, unknown>[]> =>
    api.walk(path, 'messages', {}, () => pageSize);

  const expectMessages = (
    shown: readonly Record<string, unknown>[],
    expected: readonly ExpectedMessage[],
  ) => {
    expect(shown.map((message) => message['messageId'])).toEqual(expected.map(({ id }) => id.slice(2)));
    for (const [place, { transfer, retryInput }] of expected.entries()) {
      const message = shown[place];
      expect(message?.['transfer']).toEqual(transfer);
      const retry = message?.['retryExecution'];
      expect(isRecord(retry) ? retry['data'] : undefined).toBe(retryInput);
    }
  };

  it('are found by everybody whom they are between, with all that has become of them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyJourney, { minLength: 1, maxLength: 12 }),
        fc.record({ pieces: fc.integer({ min: 1, max: 4 }), turn: fc.nat(2) }),
        fc.integer({ min: 1, max: 5 }),
        async (journeys, order, pageSize) => {
          await wipe();
          const world = new BridgeWorld();
          for (const journey of journeys) world.travel(journey);
          await index(world, order);
          const expected = world.expected();
          for (const person of [...PEOPLE, ...new Set(expected.flatMap(({ people }) => [...people]))]) {
            const own = expected.filter(({ people }) => people.has(person));
            expectMessages(await list(TRANSFERS_OF.byAddress(person), pageSize), own);
          }
          expect(await list(TRANSFERS_OF.byAddress(CROOK))).toEqual([]);
        },
      ),
      { numRuns: 12 },
    );
  });

  it('are found by the transactions that sent and delivered them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyJourney, { minLength: 1, maxLength: 12 }), async (journeys) => {
        await wipe();
        const world = new BridgeWorld();
        for (const journey of journeys) world.travel(journey);
        await index(world);
        const expected = world.expected();
        const hashes = new Set(
          INDEXED.flatMap((chain) => (world.logs.get(chain) ?? []).map(({ txHash }) => txHash)),
        );
        for (const hash of hashes) {
          const own = expected.filter(({ sentIn, deliveredIn }) => sentIn === hash || deliveredIn === hash);
          const shown = await list(TRANSFERS_OF.byTransaction(hash), 1);
          const byId = (id: unknown) => shown.find((message) => message['messageId'] === id);
          expect(shown).toHaveLength(own.length);
          expectMessages(
            own.map(({ id }) => byId(id.slice(2)) ?? {}),
            own,
          );
        }
      }),
      { numRuns: 6 },
    );
  });

  it('come from the nodes of three chains, whose blocks or only whose messages are read', async () => {
    const world = new BridgeWorld();
    const user = { sender: 0, recipient: 0, fallback: 0, amount: 1_000n, namesSender: true } as const;
    const simple = { ...user, isCall: false, isCallSuccess: true, isRouted: true, from: 0, to: 1 } as const;
    world.travel({ ...simple, route: 'toRemote', to: 0, ends: ['executed', 'pending'] });
    world.travel({ ...simple, route: 'betweenRemotes', ends: ['executed', 'failed'] });
    world.travel({
      ...simple,
      route: 'betweenRemotes',
      isCall: true,
      isCallSuccess: false,
      ends: ['retried', 'executed'],
    });
    world.travel({ ...simple, route: 'toHome', ends: ['pending', 'pending'] });
    const sandbox = await startSandbox({
      validators: 1,
      recording: null,
      blockIntervalMs: 0,
      evmRecordings: INDEXED.map((chain) => evmChainOf({ ...chain, blocks: world.blocksOf(chain) })),
    });
    onCleanup(() => sandbox.stop());
    for (const place of INDEXED) {
      const chain = { ...TEST_CHAIN, ...place, index: place === BRIDGED.home ? 'full' : 'logs' } as const;
      const url = `${sandbox.url}/ext/bc/${chain.blockchainId}/rpc`;
      const { follower, logs } = createEvmIndex(api.dataSource, [url], { chain });
      for (const indexer of [follower, ...logs]) await advanceUntilDone(indexer);
      const projections = [new MessageProjection()];
      const changes = new ChainChanges();
      await advanceUntilDone(new Projector(chain, messages.database, projections, changes, 10));
    }
    const expected = world.expected();
    const [person = CROOK] = PEOPLE;
    const own = expected.filter(({ people }) => people.has(person));
    expect(own).toHaveLength(6);
    expectMessages(await list(TRANSFERS_OF.byAddress(person)), own);
  });

  it('are shown whatever number a chain of the P-chain says is its EVM chain id', async () => {
    const world = new BridgeWorld();
    await index(world);
    await api.dataSource.query(
      `INSERT INTO blockchains (network, blockchain_id, subnet_id, name, vm_id, fx_ids, genesis_data, block_height, block_time, evm_chain_id)
       VALUES ('fuji', $1, '', 'x', '', '{}', '', 0, 0, 2::numeric ^ 100)`,
      [Buffer.from(BRIDGED.dark.id.slice(2), 'hex')],
    );
    const expected = world.expected();
    const home = expected.flatMap(({ people }) => [...people])[0] ?? CROOK;
    const own = expected.filter(({ people }) => people.has(home));
    const shown = await list(TRANSFERS_OF.byAddress(home));
    expectMessages(shown, own);
    expect(shown).toContainEqual(expect.objectContaining({ sourceEvmChainId: (2n ** 100n).toString() }));
    await api.dataSource.query('DELETE FROM blockchains');
  });

  const HASH = `0x${'ab'.repeat(32)}`;
  it.each([
    [HASH.slice(0, -2), {}, 'txHash: must be the hash of an EVM transaction: 0x and 64 hex digits'],
    [HASH.slice(2), {}, 'txHash: must be the hash of an EVM transaction: 0x and 64 hex digits'],
    [HASH, { network: 'local' }, 'network: must be one of mainnet, fuji, testnet'],
    [HASH, { pageSize: '101' }, 'pageSize: must be a whole number from 1 to 100'],
    [HASH, { pageToken: 'abc' }, TOKEN_REFUSAL],
    [HASH, { address: CROOK }, 'unknown query parameter address'],
  ])('are refused by 400 to %s with %j', async (hash, query, message) => {
    const answer = await api.get(TRANSFERS_OF.byTransaction(hash), query);
    expect(answer).toMatchObject({ status: 400, body: { message, statusCode: 400, error: 'Bad Request' } });
  });

  it('are none of an unknown transaction, whose hash may be in upper case', async () => {
    const world = new BridgeWorld();
    await index(world);
    expect(await list(TRANSFERS_OF.byTransaction(HASH))).toEqual([]);
    const [{ txHash } = { txHash: HASH }] = world.logs.get(BRIDGED.one) ?? [];
    const upper = txHash.toUpperCase().replace('0X', '0x');
    expect(await list(TRANSFERS_OF.byTransaction(upper))).toHaveLength(1);
    for (const [network, count] of [
      ['testnet', 1],
      ['mainnet', 0],
    ] as const) {
      const { body } = await api.get(TRANSFERS_OF.byTransaction(txHash), { network });
      expect(isRecord(body) ? body['messages'] : undefined).toHaveLength(count);
    }
  });
});
