import { beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource, type QueryRunner } from 'typeorm';
import { EMPTY_ID } from '../../src/avalanche/ids/id.js';
import { type IdHex, idToHex, type ShortIdHex, shortIdToHex } from '../../src/avalanche/ids/text.js';
import { ENTITIES } from '../support/entities.js';
import type { PrimaryChain } from '../../src/platform/database/chains.js';
import { avaxOfIndexes } from '../../src/platform/database/network-partitions.js';
import type { Statement } from '../../src/platform/database/database.js';
import { comparesAmounts, type UtxoListRequest } from '../../src/resources/utxos/utxo-list.js';
import {
  type ValidatorFilters,
  type ValidatorListRequest,
  VALIDATOR_SORT_KEYS,
} from '../../src/resources/validators/validator-list.js';
import type { SpendKnowledge } from '../../src/resources/utxos/known-spends.js';
import {
  beginGeneratedPChain,
  GENERATED_NODE,
  generatedOwners,
  generatedSubnetId,
  generateLists,
} from '../support/http/generated-lists.js';
import { generatedSender, generateMessages } from '../support/evm/generated-messages.js';
import { listRepositories } from '../support/http/list-statements.js';
import { isRecord } from '../support/http/list-api.js';
import { literalOf, type Work, workOf } from '../support/http/plan-work.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createTestDatabase } from '../support/harness/services.js';
import { patientDataSource } from '../support/harness/data-source-options.js';

const SIZES = { validators: 60_000, delegators: 60_000, utxos: 120_000, subnets: 5_000, vacuum: false };
const MESSAGES = 60_000;
/** Running stakers are few on any network, and a list may have to look at all of them. */
const RUNNING = 6_000;
const NOW = BigInt(Math.floor(Date.now() / 1000));
const ORDERS = ['asc', 'desc'] as const;
const LIMIT = 11;
/** UNIX seconds. */
const MIDDLE = 1_600_045_000n;
/** Height of the C-chain. */
const CHECKED_AT = 5n;
/** Some walks of a page's length; the largest owners have thousands. */
const MAX_WALKED = 300;
/** One message, with all that is known of it. */
const FEW_ROWS = 30;
const OTHER_HOPS = 10;

describe('the plans of all lists', () => {
  let dataSource: DataSource;
  let lists: ReturnType<typeof listRepositories>;
  let connection: QueryRunner;
  let owners: { whale: ShortIdHex; ordinary: ShortIdHex };
  let subnetId: IdHex;

  beforeAll(async () => {
    const { url } = await createTestDatabase();
    dataSource = await new DataSource(
      patientDataSource({ url, poolSize: 2, entities: ENTITIES }),
    ).initialize();
    onCleanup(() => dataSource.destroy());
    lists = listRepositories(dataSource);
    await generateLists(dataSource, SIZES);
    await beginGeneratedPChain(dataSource);
    await checkOlderUtxos();
    owners = await generatedOwners(dataSource);
    subnetId = await generatedSubnetId(dataSource, 8);
    connection = dataSource.createQueryRunner();
    onCleanup(() => connection.release());
    await connection.query('SET plan_cache_mode = force_generic_plan');
  });

  /** As though a node let all those be imported of which the index of the C-chain does not know. */
  const checkOlderUtxos = async (): Promise<void> => {
    await dataSource.query(
      `INSERT INTO utxo_checks (network, utxo_id, address, height, is_spent, block_time, amount, asset_id, threshold)
       SELECT network, utxo_id, address, $1, is_spent, block_time, amount, asset_id, threshold FROM utxo_listings
        WHERE chain = 'C' AND NOT is_spent AND block_time < $2`,
      [CHECKED_AT, MIDDLE],
    );
    await dataSource.query('ANALYZE utxo_checks');
  };

  /** Postgres's actual plan, with the settings that it has. */
  const explain = async (statement: string, values: readonly unknown[] = []): Promise<Work> => {
    const rows: unknown = await connection.query(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${statement}`, [
      ...values,
    ]);
    const row: unknown = Array.isArray(rows) ? rows[0] : undefined;
    const plans: unknown = isRecord(row) ? row['QUERY PLAN'] : undefined;
    const plan: unknown = Array.isArray(plans) ? plans[0] : undefined;
    if (!isRecord(plan) || !isRecord(plan['Plan'])) throw new Error('no plan');
    return workOf(plan['Plan']);
  };

  /** `work` gets the statement that executes the prepared one. */
  const prepared = async <T>(
    { text, values }: Statement,
    work: (execute: string) => Promise<T>,
  ): Promise<T> => {
    await connection.query(`PREPARE list AS ${text}`);
    try {
      const literals = values.length === 0 ? '' : `(${values.map(literalOf).join(', ')})`;
      return await work(`EXECUTE list${literals}`);
    } finally {
      await connection.query('DEALLOCATE list');
    }
  };

  /** By the plan that is made for any values, as it serves a prepared statement later on. */
  const explainPrepared = (statement: Statement): Promise<Work> => prepared(statement, explain);

  const expectServedByIndexes = async (
    what: unknown,
    statement: Statement | undefined,
    maxRows: number,
  ): Promise<void> => {
    if (statement === undefined) return;
    const works = [
      await explain(statement.text, statement.values),
      ...(statement.onePlan === true ? [await explainPrepared(statement)] : []),
    ];
    const bad = works.find(
      ({ sequentialScans, rowsRead, rowsSorted }) =>
        sequentialScans.length > 0 || rowsRead > maxRows || rowsSorted > maxRows,
    );
    if (bad === undefined) return;
    const { sequentialScans, rowsRead, rowsSorted } = bad;
    const text = JSON.stringify(what, (_name, value: unknown) =>
      typeof value === 'bigint' ? Number(value) : value,
    );
    throw new Error(
      `${text}: ${rowsRead} rows read, ${rowsSorted} sorted, scanned whole: ${sequentialScans.join()}\n${statement.text}`,
    );
  };

  const filters = (): ValidatorFilters[] => [
    { status: 'active' },
    { status: 'completed' },
    { status: 'pending' },
    { status: 'removed' },
    { subnetId: idToHex(EMPTY_ID) },
    { subnetId },
    { delegationCapacity: { min: 2_900_000_000_000_000n } },
    { delegationCapacity: { min: 1n, max: 100_000_000_000n } },
    { endTime: { min: NOW + 1000n } },
    { endTime: { max: NOW + 1000n } },
    { shares: { min: 199_900n } },
    { shares: { min: 20_000n, max: 20_000n } },
    { shares: { min: 1_000_000n } },
    { uptimePerformance: { min: 99 } },
    { uptimePerformance: { max: 86 } },
    { nodes: { parts: ['e'] } },
  ];

  describe.each(VALIDATOR_SORT_KEYS)('validators by %s', (sortBy) => {
    it.each(ORDERS)('use indexes with every filter and every two of them: %s', async (sortOrder) => {
      const firstPages = await validatorPages(sortBy, sortOrder, undefined);
      expect(firstPages).toBeGreaterThan(100);
    });

    it('use indexes for a page far behind the first one', async () => {
      const middle = {
        blockIndex: '750000',
        delegationCapacity: '1500000000000000',
        timeRemaining: String(NOW + 15_000_000n),
        delegationFee: '20000',
        uptimePerformance: '99',
      };
      await validatorPages(sortBy, 'desc', [middle[sortBy], '80'.repeat(32)]);
    });

    it('use indexes for a page among the rows without the key', async () => {
      await validatorPages(sortBy, 'desc', [null, '80'.repeat(32)]);
    });

    const validatorPages = async (
      sortBy: ValidatorListRequest['sortBy'],
      sortOrder: 'asc' | 'desc',
      after: ValidatorListRequest['after'],
    ): Promise<number> => {
      const all = [{}, ...filters(), { nodes: await lists.validators.findNodes('mainnet', ['abc']) }];
      let checked = 0;
      for (const [i, one] of all.entries()) {
        for (const another of all.slice(i)) {
          const both: ValidatorFilters = { ...one, ...another };
          // The fee orders the primary network's validators only.
          if (sortBy === 'delegationFee' && both.subnetId !== '00'.repeat(32)) {
            if (both.subnetId !== undefined) continue;
            Object.assign(both, { subnetId: '00'.repeat(32) });
          }
          const request = {
            network: 'mainnet' as const,
            filters: both,
            sortBy,
            sortOrder,
            after,
            limit: LIMIT,
          };
          await expectServedByIndexes(request, lists.validators.withKey(request), RUNNING + 4_000);
          await expectServedByIndexes(request, lists.validators.withoutKey(request), RUNNING + 4_000);
          checked += 1;
        }
      }
      return checked;
    };
  });

  // Of a part that many have, a walk over the nodes soon finds as many as are taken.
  it('use indexes for nodes by parts that few ids have', async () => {
    await dataSource.query(
      `INSERT INTO nodes SELECT 'mainnet', decode(lpad(to_hex(i), 40, '0'), 'hex'), 'NodeID-' || md5(i::text) FROM generate_series(1, 50000) i`,
    );
    await dataSource.query('VACUUM ANALYZE nodes');
    const nodes = lists.validators.nodesWithParts('mainnet', ['abcd', 'NodeID-xyz']);
    await expectServedByIndexes('nodes', nodes, MAX_WALKED);
  });

  it('use indexes for delegators with every filter and every two of them', async () => {
    const nodes = await dataSource.query<{ id: Buffer }[]>(`SELECT node_id AS id FROM nodes LIMIT 1`);
    const nodeIds = nodes.map(({ id }) => shortIdToHex(id));
    for (const rewardAddresses of [
      undefined,
      [owners.whale],
      [owners.ordinary],
      [owners.whale, owners.ordinary],
    ]) {
      for (const asked of [undefined, nodeIds]) {
        for (const status of [undefined, 'active', 'completed', 'pending'] as const) {
          for (const sortOrder of ORDERS) {
            for (const after of [undefined, [String(NOW - 3_000_000n), '80'.repeat(32)]]) {
              const request = {
                network: 'mainnet' as const,
                filters: { status, rewardAddresses, nodeIds: asked },
                sortOrder,
                after,
                limit: LIMIT,
              };
              // One owner's delegations to one node may be anywhere among the owner's.
              const isBoth = rewardAddresses !== undefined && asked !== undefined;
              await expectServedByIndexes(
                request,
                lists.delegators.statement(request),
                isBoth ? 4_000 : MAX_WALKED,
              );
            }
          }
        }
      }
    }
  });

  it('use indexes for UTXOs with every filter and every two of them', async () => {
    for (const chain of ['P', 'X', 'C'] as const) {
      for (const addresses of [undefined, [owners.whale], [owners.ordinary, owners.whale]]) {
        for (const minAmount of [0n, 5n, 990_000_000_000_000n, 10n ** 18n]) {
          for (const assetId of chain === 'X'
            ? [undefined, avaxOfIndexes('mainnet'), idToHex(Buffer.alloc(32, 0xab))]
            : [undefined]) {
            for (const includeSpent of [false, true]) {
              for (const [sortBy, key] of [
                ['timestamp', '1600045000'],
                ['amount', '31622776'],
              ] as const) {
                for (const sortOrder of ORDERS) {
                  for (const [i, after] of [undefined, [key, '80'.repeat(32)]].entries()) {
                    // From the middle on: nobody knows of older ones whether they are spent.
                    const spendsKnown = i === 0 ? knownFromTheMiddle(chain) : { since: 0n };
                    const request: UtxoListRequest = {
                      network: 'mainnet',
                      chain,
                      filters: { addresses, minAmount, assetId, includeSpent, spendsKnown },
                      sortBy,
                      sortOrder,
                      after,
                      limit: LIMIT,
                    };
                    await utxoPage(request);
                  }
                }
              }
            }
          }
        }
      }
    }
  });

  const knownFromTheMiddle = (chain: PrimaryChain): SpendKnowledge =>
    chain === 'C' ? { since: MIDDLE, checkedFromHeight: CHECKED_AT } : { since: MIDDLE };

  const utxoPage = async (request: UtxoListRequest): Promise<void> => {
    const probe = lists.utxos.addressesWithFewLargeUtxos(request);
    if (!comparesAmounts(request)) {
      return expectServedByIndexes(request, lists.utxos.statement(request, []), MAX_WALKED);
    }
    await expectServedByIndexes(request, probe, 3_000);
    const few = await dataSource.query<{ address: string }[]>(probe.text, [...probe.values]);
    await expectServedByIndexes(
      request,
      lists.utxos.statement(
        request,
        few.map(({ address }) => address),
      ),
      4_000,
    );
  };

  it('use indexes for interchain messages of one network and of both', async () => {
    await generateMessages(dataSource, MESSAGES);
    const whale = await generatedSender(dataSource);
    for (const networks of [['mainnet'], ['fuji'], ['mainnet', 'fuji']] as const) {
      for (const address of [whale, owners.ordinary]) {
        for (const after of [undefined, ['0', '1600030000', '80'.repeat(32), 'mainnet']]) {
          const request = { networks, address, after, limit: LIMIT };
          await expectServedByIndexes(request, lists.messages.statement(request), MAX_WALKED);
          expect(await plansMade(lists.messages.statement(request))).toBe('one for all values');
        }
      }
      const [{ hash } = { hash: '' }] = await dataSource.query<{ hash: string }[]>(
        `SELECT encode(tx_hash, 'hex') AS hash FROM icm_deliveries LIMIT 1`,
      );
      const ids = await dataSource.query<{ message_id: Buffer }[]>(
        `SELECT message_id FROM icm_deliveries LIMIT ${OTHER_HOPS}`,
      );
      const hops = lists.transfers.messagesStatement(
        networks,
        ids.map(({ message_id: id }) => id),
      );
      await expectServedByIndexes('other hops', hops, OTHER_HOPS * FEW_ROWS);
      for (const after of [undefined, ['0', '80'.repeat(32), 'mainnet']]) {
        const request = { networks, txHash: hash, after, limit: LIMIT };
        await expectServedByIndexes(request, lists.transactionMessages.statement(request), FEW_ROWS);
        expect(await plansMade(lists.transactionMessages.statement(request))).toBe('one for all values');
      }
    }
  });

  it('are made once for all values of a prepared statement', async () => {
    const page = { network: 'mainnet', limit: LIMIT } as const;
    const statements: (Statement | undefined)[] = [];
    for (const sortOrder of ORDERS) {
      for (const after of [undefined, ['1600045000', '80'.repeat(32)]]) {
        const place = { ...page, sortOrder, after };
        for (const rewardAddresses of [undefined, [owners.whale], [owners.whale, owners.ordinary]]) {
          statements.push(lists.delegators.statement({ ...place, filters: { rewardAddresses } }));
          for (const chain of ['P', 'X'] as const) {
            for (const includeSpent of [false, true]) {
              for (const spendsKnown of [{ since: 0n }, { since: 1_600_000_000n }]) {
                const addresses = rewardAddresses;
                const filters = { addresses, minAmount: 0n, includeSpent, spendsKnown };
                statements.push(lists.utxos.statement({ ...place, chain, filters, sortBy: 'timestamp' }, []));
              }
            }
          }
        }
        statements.push(lists.subnets.statement(place));
        for (const filters of [{}, { nodes: { ids: [GENERATED_NODE] } }]) {
          statements.push(lists.validators.withKey({ ...place, filters, sortBy: 'blockIndex' }));
        }
      }
    }
    for (const statement of statements) expect(await plansMade(statement)).toBe('one for all values');
  });

  /** The planner weighs after five executions whether the values are worth a plan of their own each time. */
  const plansMade = async (statement: Statement | undefined): Promise<string> => {
    if (statement?.onePlan !== true) throw new Error('not a prepared statement');
    await connection.query('SET plan_cache_mode = auto');
    try {
      return await prepared(statement, async (execute) => {
        for (let i = 0; i < 6; i += 1) await connection.query(execute);
        const made: unknown = await connection.query(
          `SELECT FROM pg_prepared_statements WHERE name = 'list' AND generic_plans > 0`,
        );
        return Array.isArray(made) && made.length > 0
          ? 'one for all values'
          : `one for each execution: ${statement.text}`;
      });
    } finally {
      await connection.query('SET plan_cache_mode = force_generic_plan');
    }
  };

  it('use indexes for blockchains', async () => {
    for (const sortOrder of ORDERS) {
      for (const after of [undefined, ['250001', '80'.repeat(32)]]) {
        const request = { network: 'mainnet', sortOrder, after, limit: 101 } as const;
        await expectServedByIndexes('blockchains', lists.blockchains.statement(request), 200);
        expect(await plansMade(lists.blockchains.statement(request))).toBe('one for all values');
      }
    }
  });

  it('use indexes for the cycles of a node, of all its validations or one', async () => {
    const nodeId = GENERATED_NODE;
    const [cycle] = await dataSource.query<{ txId: Buffer }[]>(
      `SELECT tx_id AS "txId" FROM validation_cycles WHERE node_id = $1 LIMIT 1`,
      [Buffer.from(nodeId, 'hex')],
    );
    if (cycle === undefined) throw new Error('no cycles');
    for (const txId of [undefined, idToHex(cycle.txId)]) {
      for (const sortOrder of ORDERS) {
        for (const after of [undefined, ['1620000000', '80'.repeat(32)]]) {
          const request = { network: 'mainnet', nodeId, txId, sortOrder, after, limit: LIMIT } as const;
          await expectServedByIndexes(request, lists.cycles.statement(request), MAX_WALKED);
        }
      }
    }
  });

  it('use indexes for pending and paid rewards by owners, nodes and both', async () => {
    const [running] = await dataSource.query<{ node: Buffer; owners: Buffer[] }[]>(
      `SELECT node_id AS node, delegation_rewards_owner_addresses AS owners FROM validators
        WHERE status = 'active' AND NOT is_permissioned LIMIT 1`,
    );
    if (running === undefined) throw new Error('nobody validates');
    const nodes = [GENERATED_NODE, shortIdToHex(running.node)];
    const all = [owners.whale, owners.ordinary, ...running.owners.map(shortIdToHex)];
    const owned = [[owners.whale], [owners.ordinary], all];
    const [time, id] = [String(NOW - 3_000_000n), '80'.repeat(32)];
    for (const addresses of [undefined, ...owned]) {
      for (const nodeIds of addresses === undefined ? [nodes] : [undefined, nodes]) {
        for (const isFirst of [true, false]) {
          const filters = { addresses, nodeIds };
          const request = { network: 'mainnet', filters, sortOrder: 'desc', limit: LIMIT } as const;
          const pending = { ...request, after: isFirst ? undefined : [time, id, '1'] };
          const paid = { ...request, after: isFirst ? undefined : [time, id] };
          const statements = [lists.pendingRewards.statement(pending), lists.paidRewards.statement(paid)];
          // One owner's delegations to one node may be anywhere among the owner's.
          const isBoth = addresses !== undefined && nodeIds !== undefined;
          for (const statement of statements) {
            await expectServedByIndexes(request, statement, isBoth ? 4_000 : MAX_WALKED);
            expect(await plansMade(statement)).toBe('one for all values');
          }
        }
      }
    }
  });

  it('use indexes for staking transactions with every filter and all of them', async () => {
    const addresses = [undefined, [owners.whale], [owners.ordinary], [owners.whale, owners.ordinary]];
    const types = [undefined, ['AddPermissionlessValidator', 'AddPermissionlessDelegator']] as const;
    const now = Number(NOW);
    const times = [{}, { from: now - 1_000_000 }, { to: now - 1_000_000 }, { from: now, to: now + 1 }];
    for (const owned of addresses) {
      for (const each of types) {
        for (const within of times) {
          for (const sortOrder of ORDERS) {
            for (const after of [undefined, [String(now - 200_000), '80'.repeat(32)]]) {
              const filters = { addresses: owned, types: each, ...within };
              const request = { network: 'mainnet', filters, sortOrder, after, limit: LIMIT } as const;
              const statement = lists.stakingTransactions.statement(request);
              await expectServedByIndexes(request, statement, MAX_WALKED);
              expect(await plansMade(statement)).toBe('one for all values');
            }
          }
        }
      }
    }
  });

  it('use indexes for L1 validators with every filter and every two of them', async () => {
    const [one] = await dataSource.query<{ validationId: Buffer; nodeId: Buffer }[]>(
      `SELECT validation_id AS "validationId", node_id AS "nodeId" FROM l1_validators WHERE weight > 0 LIMIT 1`,
    );
    if (one === undefined) throw new Error('no L1 validators');
    const ids = [
      {},
      { validationId: idToHex(one.validationId) },
      { nodeId: shortIdToHex(one.nodeId) },
      { subnetId },
    ];
    for (const [i, first] of ids.entries()) {
      for (const second of ids.slice(i)) {
        for (const includeInactive of [false, true]) {
          for (const after of [undefined, ['1600010000', '80'.repeat(32)]]) {
            const filters = { ...first, ...second, includeInactive };
            const request = { network: 'mainnet', filters, after, limit: LIMIT } as const;
            await expectServedByIndexes(request, lists.l1Validators.statement(request), MAX_WALKED);
          }
        }
      }
    }
  });

  it('use indexes for subnets', async () => {
    for (const sortOrder of ORDERS) {
      for (const after of [undefined, ['2500', '80'.repeat(32)]]) {
        await expectServedByIndexes(
          'subnets',
          lists.subnets.statement({ network: 'mainnet', sortOrder, after, limit: 101 }),
          200,
        );
      }
    }
  });
});
