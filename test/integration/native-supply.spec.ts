import { beforeEach, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { DataSource } from 'typeorm';
import { Config } from '../../src/platform/config/config.module.js';
import { parseEnv } from '../../src/platform/config/env.schema.js';
import { evmChainKey, evmChainName, P_CHAIN, X_CHAIN } from '../../src/platform/database/chains.js';
import { EvmChains } from '../../src/platform/evm-chains/evm-chains.js';
import { countBurned } from '../../src/indexes/evm/rows/atomic-totals.js';
import { IndexProgressEntity } from '../../src/indexes/engine/progress/index-progress.entities.js';
import { Database } from '../../src/platform/database/database.js';
import { SupplyBaseline } from '../../src/resources/native-supply/supply-baseline.entity.js';
import { SupplyProgress } from '../../src/resources/native-supply/supply-progress.js';
import { SupplyTotals } from '../../src/resources/native-supply/supply-totals.js';
import { ATOMIC } from '../../src/indexes/evm/facets/facets.js';
import { NativeSupplyService } from '../../src/resources/native-supply/native-supply.service.js';
import { SupplyAuditor } from '../../src/resources/native-supply/supply-auditor.js';
import { SupplyRefresher } from '../../src/resources/native-supply/supply-refresher.js';
import { SupplyRepository } from '../../src/resources/native-supply/supply.repository.js';
import { SupplyReader } from '../../src/resources/native-supply/supply-reader.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import { isRecord } from '../support/http/list-api.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { hexOf, idOf, shortIdOf, utxoRow, validatorRow } from '../support/p-chain/p-chain-rows.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { toWei } from '../support/evm/wei.js';
import { NativeSupply } from '../../src/resources/native-supply/native-supply.entity.js';
import { NODE_PATIENCE_MS } from '../support/node-patience.js';

const C_CHAIN_ID = 43112n;
const C_CHAIN = evmChainName(C_CHAIN_ID);
const AVAX = idOf(9);
const C_KEY = evmChainKey({ network: 'fuji', chainId: C_CHAIN_ID }).toString();
const FUTURE = '4000000000';

/** Balance of the burn address, in wei; null for a node that does not report it. */
let burnt: bigint | null;
/** The same of a second node where it reports something else. */
let otherBurnt: bigint | null | undefined;

async function startNode(balance: () => bigint | null): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const call: unknown = JSON.parse(body);
      const id = isRecord(call) ? call['id'] : undefined;
      const error = { code: -32000, message: 'missing trie node' };
      const wei = balance();
      const outcome = wei === null ? { error } : { result: `0x${wei.toString(16)}` };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onCleanup(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

const BEGUN_AT_MS = Date.now();

describe('the supply of the native asset', () => {
  let dataSource: DataSource;
  let refresher: SupplyRefresher;
  let auditor: SupplyAuditor;
  let service: NativeSupplyService;

  const run = (sql: string, values: readonly unknown[] = []): Promise<unknown> =>
    dataSource.query(sql, [...values]);
  const insert = (table: string, rows: readonly object[]): Promise<unknown> =>
    run(`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`, [
      JSON.stringify(rows),
    ]);
  const refresh = (): Promise<string | null> => refresher.refresh('fuji', new AbortController().signal);

  beforeEach(async () => {
    burnt = 5_000_000_000_000_000_001n;
    dataSource = await createMigratedDatabase();
    otherBurnt = undefined;
    const told = () => (otherBurnt === undefined ? burnt : otherBurnt);
    const rpcUrls = [await startNode(() => burnt), await startNode(told)];
    const env = {
      EVM_CHAINS_FILE: writeEvmChainsFile([{ chainId: C_CHAIN_ID, rpcUrls }]),
      FUJI_NODE_URL: rpcUrls[0],
      NODE_TIMEOUT_MS: String(NODE_PATIENCE_MS),
    };
    const config = new Config(parseEnv({ DATABASE_URL: 'postgres://unused', ...env }));
    const chains = new EvmChains(config);
    onCleanup(() => chains.onApplicationShutdown());
    const supply = new SupplyRepository(dataSource.getRepository(NativeSupply));
    const reader = new SupplyReader(dataSource, chains);
    const totals = new SupplyTotals(new Database(dataSource));
    refresher = new SupplyRefresher(reader, supply, totals);
    auditor = new SupplyAuditor(reader, totals, chains);
    const progress = new SupplyProgress(dataSource.getRepository(IndexProgressEntity), chains);
    service = new NativeSupplyService(config, supply, progress);
    const checkpoints = [P_CHAIN, X_CHAIN, C_CHAIN].map((chain) => ({
      network: 'fuji',
      chain,
      height: 10,
      block_id: idOf(1),
      block_time: 1,
      state: { avaxAssetId: hexOf(AVAX), accruedFees: '1000' },
      updated_at: '2026-01-01T00:00:00Z',
    }));
    await insert('index_checkpoints', checkpoints);
    await run(`INSERT INTO index_progress (network, chain, state, height, tip_height, blocks_per_second, version)
      SELECT network, chain, 'running', height, height, 0, 1 FROM index_checkpoints`);
    await run(
      `INSERT INTO index_coverage (network, chain, facet, from_height, to_height, status, version)
      VALUES ('fuji', $1, 'atomic', 0, 10, 'complete', $2)`,
      [C_CHAIN, ATOMIC.version],
    );
    await run(`INSERT INTO p_chain_totals VALUES ('fuji', 700, 2000, 600), ('mainnet', 1, 1, 1)`);
    await insert('p_chain_transactions', [
      {
        network: 'fuji',
        tx_id: idOf(1),
        type: 'BaseTx',
        block_height: 1,
        block_time: 1,
        is_committed: true,
        burned: 600,
        avax_spent: 600,
      },
    ]);
    await insert('subnet_stakes', [
      { network: 'fuji', subnet_id: idOf(0), supply: '1', total_weight: '3000' },
    ]);
    await insertXTransaction(1, 50);
    await insertAtomicTransaction(1, 8, { [hexOf(AVAX)]: '400', [hexOf(idOf(8))]: '1' });
    expect(await refresh()).toBeNull();
  });

  const insertXTransaction = async (number: number, burned: number): Promise<void> => {
    await run(
      `INSERT INTO x_chain_transactions (network, tx_id, type, block_height, block_time, burned, avax_spent)
       VALUES ('fuji', $1, 'BaseTx', 1, 1, $2, $2)`,
      [Buffer.from([number]), burned],
    );
    await run(
      `INSERT INTO x_chain_totals AS t VALUES ('fuji', $1) ON CONFLICT (network) DO UPDATE SET burned = t.burned + $1`,
      [burned],
    );
  };
  const insertAtomicTransaction = (number: number, height: number, burned: object): Promise<unknown> =>
    run(
      `WITH changed AS (
         INSERT INTO evm_atomic_transactions (chain_key, height, position, block_time, tx_id, blockchain_id, burned, created, consumed)
         VALUES ($1, $2, 0, 1, $3, $4, $5, '{}', '{}') RETURNING *) ${countBurned('+')}`,
      [C_KEY, height, idOf(number), idOf(3), JSON.stringify(burned)],
    );
  const insertUtxo = (given: object): Promise<unknown> =>
    insert('utxos', [{ ...utxoRow({ utxo_id: idOf(77) }), amount: '21', asset_id: AVAX, ...given }]);
  const insertL1Validator = (given: object): Promise<unknown> =>
    insert('l1_validators', [
      {
        network: 'fuji',
        validation_id: idOf(5),
        subnet_id: idOf(6),
        node_id: shortIdOf(1),
        public_key: '\\x00',
        proof_of_possession: '\\x00',
        remaining_balance_owner_threshold: 1,
        remaining_balance_owner_addresses: [],
        deactivation_owner_threshold: 1,
        deactivation_owner_addresses: [],
        start_time: 1,
        weight: 1,
        min_nonce: 0,
        end_accumulated_fee: 1,
        tx_id: idOf(7),
        ...given,
      },
    ]);
  const insertRenewed = (): Promise<unknown> =>
    insert('validators', [
      {
        ...validatorRow({ tx_id: idOf(4), node_id: shortIdOf(4) }),
        network: 'fuji',
        auto_renewal_authority_locktime: '0',
        auto_renewal_authority_threshold: 1,
        auto_renewal_authority_addresses: [],
        auto_renewal_next_period: 1,
        auto_renewal_auto_compound_shares: 1,
        auto_renewal_accrued_validation_rewards: '30',
        auto_renewal_accrued_delegatee_rewards: '4',
        auto_renewal_cycle_index: 2,
        auto_renewal_earlier_delegator_count: 0,
        auto_renewal_earlier_delegated_weight: '0',
        auto_renewal_is_aborted: false,
      },
    ]);

  it('is made of what the chains have recorded, and of when', async () => {
    const { supply, baselineHeight } = await service.get();
    const { lastUpdated, ...figures } = supply;
    expect(baselineHeight).toBeNull();
    expect(figures).toEqual({
      circulatingSupply: '359999995.000000849999999999',
      totalSupply: '359999995.000000849999999999',
      totalPBurned: '0.000000700',
      totalCBurned: '5.000000400000000001',
      totalXBurned: '0.000000050',
      totalStaked: '0.000003000',
      totalLocked: '0.000000000',
      totalRewards: '0.000002000',
      genesisUnlock: '360000000.000000000',
      l1ValidatorFees: '0.000000100',
    });
    expect(Date.parse(lastUpdated)).toBeGreaterThanOrEqual(BEGUN_AT_MS);
    expect(Date.parse(lastUpdated)).toBeLessThanOrEqual(Date.now());
  });

  const NANO = 10n ** 9n;
  const sums = (change: bigint) => ({ circulatingSupply: change * NANO, totalSupply: change * NANO });

  it.each<[string, () => Promise<unknown>, Record<string, bigint>]>([
    [
      'a reward that is paid',
      () => run(`UPDATE p_chain_totals SET rewarded = rewarded + 5`),
      { totalRewards: 5n * NANO, ...sums(5n) },
    ],
    ['a reward that is staked again', () => insertRenewed(), { totalRewards: 34n * NANO, ...sums(34n) }],
    [
      'a fee on the P-chain',
      () => run(`UPDATE p_chain_totals SET spent = spent + 7, burned = burned + 7`),
      { totalPBurned: 7n * NANO, ...sums(-7n) },
    ],
    [
      'what is paid in for an L1 validator: nothing yet',
      async () => {
        await run(`UPDATE p_chain_totals SET spent = spent + 90`);
        await insertL1Validator({ end_accumulated_fee: 1090 });
      },
      {},
    ],
    [
      'what an L1 validator has paid of it',
      async () => {
        await run(`UPDATE p_chain_totals SET spent = spent + 90`);
        await insertL1Validator({ end_accumulated_fee: 1050 });
      },
      { l1ValidatorFees: 40n * NANO, totalPBurned: 40n * NANO, ...sums(-40n) },
    ],
    ['a fee on the X-chain', () => insertXTransaction(2, 3), { totalXBurned: 3n * NANO, ...sums(-3n) }],
    [
      'the fee of an import or export',
      () => insertAtomicTransaction(2, 9, { [hexOf(AVAX)]: '6' }),
      { totalCBurned: 6n * NANO, ...sums(-6n) },
    ],
    [
      'one that an early block repeats: nothing',
      () => insertAtomicTransaction(1, 9, { [hexOf(AVAX)]: '400' }),
      {},
    ],
    [
      'a wei at the burn address',
      async () => void (burnt = 5_000_000_000_000_000_002n),
      { totalCBurned: 1n, circulatingSupply: -1n, totalSupply: -1n },
    ],
    ['stake', () => run(`UPDATE subnet_stakes SET total_weight = 3001`), { totalStaked: NANO }],
    [
      'an output that can only be staked for a time',
      () => insertUtxo({ stakeable_locktime: FUTURE }),
      { totalLocked: 21n * NANO },
    ],
    ['an output that is locked', () => insertUtxo({ owner_locktime: FUTURE }), { totalLocked: 21n * NANO }],
    [
      'one whose lock is over: nothing',
      () => insertUtxo({ owner_locktime: '1000', stakeable_locktime: '1000' }),
      {},
    ],
    [
      'one that was spent: nothing',
      () => insertUtxo({ owner_locktime: FUTURE, consuming_tx_id: idOf(1) }),
      {},
    ],
    [
      'another asset that is locked: nothing',
      () => insertUtxo({ owner_locktime: FUTURE, asset_id: idOf(8) }),
      {},
    ],
  ])('is moved by %s, and in no other figure', async (_, move, expected) => {
    const { lastUpdated: before, ...figures } = (await service.get()).supply;
    await move();
    expect(await refresh()).toBeNull();
    const { lastUpdated: after, ...moved } = (await service.get()).supply;
    const changes = Object.entries(moved).flatMap(([name, text]) => {
      const change = toWei(text) - toWei(String(Reflect.get(figures, name)));
      return change === 0n ? [] : [[name, change] as const];
    });
    expect(Object.fromEntries(changes)).toEqual(expected);
    expect(Date.parse(after)).toBeGreaterThan(Date.parse(before));
  });

  const setProgress = (chain: string, change: string): Promise<unknown> =>
    run(`UPDATE index_progress SET ${change} WHERE chain = $1`, [chain]);

  it.each<[string, () => Promise<unknown>, string]>([
    [
      'a chain is not indexed',
      () => run(`DELETE FROM index_checkpoints WHERE chain = 'x-chain'`),
      'x-chain of fuji: it is not indexed',
    ],
    [
      'an index is behind the tip',
      () => setProgress(P_CHAIN, 'tip_height = 12'),
      'p-chain of fuji: its index is at 10 of 12',
    ],
    [
      'an index waits',
      () => setProgress(X_CHAIN, `state = 'waiting', message = 'no node'`),
      'x-chain of fuji: its index is waiting: no node',
    ],
    [
      'nothing was heard of an index',
      () => setProgress(C_CHAIN, `updated_at = now() - interval '1 hour'`),
      'evm-43112 of fuji: its index has not reported for 10 minutes',
    ],
    [
      'imports and exports are missing',
      () => run(`UPDATE index_coverage SET from_height = 4`),
      'evm-43112 of fuji: imports and exports of blocks 0 to 3 are not indexed',
    ],
    [
      'those of an earlier version are',
      () => run(`UPDATE index_coverage SET version = 1`),
      'evm-43112 of fuji: imports and exports of blocks 0 to 10 are not indexed',
    ],
    [
      'no node tells the balance',
      async () => void (burnt = null),
      'no node tells the balance of the burn address: ',
    ],
  ])('stays what it was when %s', async (_, spoil, problem) => {
    const before = await service.get();
    await spoil();
    await run(`UPDATE p_chain_totals SET rewarded = rewarded + 5`);
    expect(await refresh()).toContain(problem);
    expect(await service.get()).toEqual(before);
    await run('UPDATE native_supply SET figures = NULL');
    await expect(service.get()).rejects.toMatchObject({
      statusCode: 503,
      message: expect.stringContaining(`the supply is not known yet; of fuji: ${problem}`),
    });
  });

  const audit = () => auditor.audit('fuji', new AbortController().signal);

  it('passes its audit: what is burned on the C-chain is what each of its nodes reports', async () => {
    expect(await audit()).toEqual({
      height: 10n,
      comparisons: 6,
      skipped: [],
      differences: [],
      isDone: true,
    });
    otherBurnt = 6n;
    expect(await audit()).toMatchObject({
      differences: [
        expect.stringMatching(
          /^burned on the C-chain up to block 10, by 127\.0\.0\.1:\d+: database 5\.000000400000000001, node 0\.000000400000000006$/,
        ),
      ],
    });
    otherBurnt = null;
    expect(await audit()).toMatchObject({
      comparisons: 5,
      skipped: [expect.stringContaining('missing trie node')],
      differences: [],
      isDone: true,
    });
  });

  it('is not called audited where no node has the block', async () => {
    await refresh();
    const asked = auditor.audit('fuji', new AbortController().signal);
    burnt = null;
    expect(await asked).toMatchObject({
      comparisons: 0,
      skipped: [expect.stringContaining('no node tells')],
    });
  });

  it.each([
    ['p_chain_totals', 'burned on the P-chain: 601 is kept, the rows add up to 600'],
    ['x_chain_totals', 'burned on the X-chain: 51 is kept, the rows add up to 50'],
    [
      'evm_atomic_totals',
      `asset ${hexOf(AVAX)} burned by atomic transactions: 401 is kept, the rows add up to 400`,
    ],
  ])('fails its audit where %s is not what its rows add up to', async (table, difference) => {
    await run(`UPDATE ${table} SET burned = burned + 1 WHERE burned > 1`);
    expect(await audit()).toMatchObject({ differences: [difference] });
  });

  describe('with an imported baseline', () => {
    const importBaseline = (burned: bigint, height = 8n): Promise<unknown> =>
      dataSource
        .getRepository(SupplyBaseline)
        .save({ network: 'fuji', height, blockHash: `0x${'00'.repeat(32)}`, burned, importedAt: new Date() });
    const atomicFrom = (height: number): Promise<unknown> =>
      run(`UPDATE index_coverage SET from_height = $1 WHERE facet = 'atomic'`, [height]);

    it('rests on it until the own history is there, and then on that', async () => {
      await insertAtomicTransaction(2, 9, { [hexOf(AVAX)]: '6' });
      await importBaseline(1_000n);
      await atomicFrom(9);
      expect(await refresh()).toBeNull();
      expect(await service.get()).toMatchObject({
        baselineHeight: 8n,
        supply: { totalCBurned: '5.000001006000000001' },
      });
      expect(await audit()).toMatchObject({ differences: [], isDone: true });
      await atomicFrom(0);
      expect(await refresh()).toBeNull();
      expect(await service.get()).toMatchObject({
        baselineHeight: null,
        supply: { totalCBurned: '5.000000406000000001' },
      });
      expect(await audit()).toMatchObject({
        differences: [
          'burned by atomic transactions up to block 8: the imported baseline says 1000, the own history 400 nAVAX',
        ],
      });
      await importBaseline(400n);
      expect(await audit()).toMatchObject({ differences: [], isDone: true });
    });

    it('is not known where blocks above it are missing, or it is above the index', async () => {
      await importBaseline(1_000n, 7n);
      await atomicFrom(9);
      expect(await refresh()).toContain('imports and exports of blocks 8 to 8 are not indexed');
      await importBaseline(1_000n, 11n);
      expect(await refresh()).toContain('its index is at 10, the imported baseline at 11');
    });
  });

  it('is not audited while it cannot be worked out', async () => {
    await setProgress(P_CHAIN, 'tip_height = 12');
    expect(await audit()).toMatchObject({
      comparisons: 0,
      skipped: ['p-chain of fuji: its index is at 10 of 12'],
      differences: [],
    });
  });

  it('is answered with a 503 with the reason before it was calculated', async () => {
    await run('DELETE FROM native_supply');
    await expect(service.get()).rejects.toMatchObject({
      statusCode: 503,
      message: 'the supply is not known yet; of fuji: no worker has calculated it yet',
    });
  });

  it('is answered with how much is left, and when to ask again', async () => {
    await run('DELETE FROM native_supply');
    await atomicIsAt(4, 7_000);
    await setProgress(P_CHAIN, 'height = 9, eta_seconds = 30');
    await expect(service.get()).rejects.toMatchObject({
      statusCode: 503,
      retryAfterSeconds: 7_020,
      message:
        'the supply is not known yet; of fuji: no worker has calculated it yet; ' +
        "left are 1 block of the P-chain, about a minute; 1,234,560 blocks for the C-chain's imports and exports, about 117 minutes",
    });
    await atomicIsAt(4, null);
    await expect(service.get()).rejects.toMatchObject({
      retryAfterSeconds: 320,
      message: expect.stringContaining('imports and exports, how long that takes is not known yet'),
    });
  });

  const atomicIsAt = (height: number, seconds: number | null): Promise<unknown> =>
    run(
      `INSERT INTO index_progress (network, chain, state, height, tip_height, blocks_per_second, eta_seconds, version)
       VALUES ('fuji', $1, 'running', $2, 1234564, 0, $3, 1) ON CONFLICT (network, chain) DO UPDATE SET eta_seconds = $3`,
      [evmChainName(C_CHAIN_ID, ATOMIC.name), height, seconds],
    );

  it('is that of mainnet where mainnet is configured, too', async () => {
    const env = { MAINNET_NODE_URL: 'http://127.0.0.1:1', FUJI_NODE_URL: 'http://127.0.0.1:1' };
    const config = new Config(parseEnv({ DATABASE_URL: 'postgres://unused', ...env }));
    const both = new NativeSupplyService(
      config,
      new SupplyRepository(dataSource.getRepository(NativeSupply)),
      new SupplyProgress(dataSource.getRepository(IndexProgressEntity), new EvmChains(config)),
    );
    await expect(both.get()).rejects.toMatchObject({ message: expect.stringContaining('of mainnet') });
  });
});
