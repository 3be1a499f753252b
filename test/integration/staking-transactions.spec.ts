import { beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { packAddress } from '../../src/avalanche/ids/address.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, idToString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { parseUtxo } from '../../src/avalanche/platformvm/codec/utxo.js';
import { splitReward } from '../../src/avalanche/platformvm/state/rewards.js';
import { type PChainRecording, readPChainRecording } from '../../sandbox/recording/p-chain-recording.js';
import type { Staker } from '../../src/avalanche/platformvm/state/records.js';
import { withIndexLock } from '../../src/indexes/engine/following/index-lock.js';
import { writeStakingTransactions } from '../../src/indexes/p-chain/write-staking-transactions.js';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { P_CHAIN } from '../../src/platform/database/chains.js';
import { Database } from '../../src/platform/database/database.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { isRecord, ListApi, TOKEN_REFUSAL } from '../support/http/list-api.js';
import { type Item, NETWORK, part, sum, validators } from '../support/http/validator-lists.js';
import { indexRecording } from '../support/p-chain/index-recording.js';
import { expectedStaking, type ExpectedStaking, stakingIdsOf } from '../support/p-chain/staking-oracle.js';

const PATH = `${NETWORK}/blockchains/p-chain/transactions:listStaking`;
const TYPES = [
  'AddValidatorTx',
  'AddSubnetValidatorTx',
  'AddPermissionlessValidatorTx',
  'AddAutoRenewedValidatorTx',
  'AddDelegatorTx',
  'AddPermissionlessDelegatorTx',
];

/** By the number of blocks that are written together. */
const BATCHES = {
  'test/recordings/p-chain-granite': 1,
  'test/recordings/p-chain-helicon': 1,
  'test/recordings/p-chain-upgrades': 7,
  'test/recordings/p-chain-validator-fees': 2,
  'sandbox/recording/p-chain': 5,
};
const readRecording = (name: string): PChainRecording =>
  readPChainRecording(join(projectFolder(), `${name}.json.br`));

describe.each(Object.entries(BATCHES))('the index of staking transactions over %s', (name, batch) => {
  it('has at every height those of which the node says that they stake', async () => {
    const recording = readRecording(name);
    const { answers, blocks } = recording;
    const answered = new Map(answers.map((answer) => [answer.height, answer]));
    const database = await createMigratedDatabase();
    const running = async (): Promise<string[]> => {
      const rows = await database.query<{ id: Buffer }[]>(
        `SELECT t.tx_id AS id FROM staking_transactions t
          WHERE NOT EXISTS (SELECT FROM validators v WHERE v.tx_id = t.tx_id AND v.status = 'pending')
            AND NOT EXISTS (SELECT FROM delegators d WHERE d.tx_id = t.tx_id AND d.status = 'pending')`,
      );
      return rows.map(({ id }) => idToString(id)).sort();
    };
    let compared = 0;
    await indexRecording(recording, database, async (replay, write) => {
      const answer = answered.get(String(replay.height));
      const isDue =
        answer !== undefined ||
        Number(replay.height) % batch === 0 ||
        replay.height + 1n === BigInt(blocks.length);
      if (replay.isUndecided || !isDue) return;
      await write();
      if (answer === undefined) return;
      expect(await running()).toEqual(stakingIdsOf(answer).sort());
      compared += 1;
    });
    expect(compared).toBeGreaterThan(3);
    const waiting = await database.query<unknown[]>(
      `SELECT tx_id FROM (SELECT tx_id, status FROM validators UNION ALL SELECT tx_id, status FROM delegators) staker
        WHERE status = 'pending' AND tx_id NOT IN (SELECT tx_id FROM staking_transactions)`,
    );
    expect(waiting).toEqual([]);
    const listings = await database.query<unknown[]>(
      `SELECT tx_id FROM staking_listings WHERE tx_id NOT IN (SELECT tx_id FROM staking_transactions)`,
    );
    expect(listings).toEqual([]);
  });
});

describe('staking transactions that end', () => {
  it('leave with their listings, and those of the others are not read for it', async () => {
    const database = await createMigratedDatabase();
    // Many for tables of which there are no statistics yet, as while an index catches up.
    const running = `SELECT 'fuji' AS network, sha256(i::text::bytea) AS tx_id, 'AddDelegatorTx' AS tx_type, i AS block_time,
      ARRAY(SELECT substr(sha256((i + owner)::text::bytea), 1, 20) FROM generate_series(1, 4) owner) AS addresses
      FROM generate_series(1, 8000) i`;
    await database.query(
      `INSERT INTO staking_transactions (network, tx_id, tx_type, block_id, block_height, block_time, unsigned, addresses)
       SELECT network, tx_id, tx_type, tx_id, block_time, block_time, '', addresses FROM (${running}) running`,
    );
    await database.query(
      `INSERT INTO staking_listings (network, address, tx_type, block_time, tx_id)
       SELECT network, address, tx_type, block_time, tx_id FROM (${running}) running, unnest(addresses || ''::bytea) AS address`,
    );
    const ended = await database.query<{ id: string }[]>(
      `SELECT encode(tx_id, 'hex') AS id FROM staking_transactions WHERE block_time <= 200`,
    );
    const stakers = new Map(
      ended.map(({ id }) => [id, { txId: id, status: 'completed' } as unknown as Staker]),
    );
    const read = await withIndexLock(
      new Database(database),
      { network: 'fuji', chain: P_CHAIN },
      async (transaction) => {
        await writeStakingTransactions(transaction, 'fuji', { stakers, stakingTransactions: new Map() });
        const [row] = await transaction.query<{ rows: number }>({
          text: `SELECT (seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_xact_user_tables WHERE relname = 'staking_listings_fuji'`,
          values: [],
        });
        return row?.rows;
      },
    );
    expect(read).toBe(5 * ended.length);
    expect(
      await database.query(
        `SELECT (SELECT count(*)::int FROM staking_transactions) AS transactions, (SELECT count(*)::int FROM staking_listings) AS listings`,
      ),
    ).toEqual([{ transactions: 7_800, listings: 39_000 }]);
  });
});

/** The oracle: blocks as they are decoded, and the node's own list of what validates and delegates. */
describe.each([
  'test/recordings/p-chain-granite',
  'test/recordings/p-chain-helicon',
  'sandbox/recording/p-chain',
])('the staking transactions over %s', (name) => {
  let api: ListApi;
  /** From the oldest on. */
  let expected: readonly ExpectedStaking[];

  beforeAll(async () => {
    api = await ListApi.start();
    const recording = readRecording(name);
    await indexRecording(recording, api.dataSource, async (replay, write) => {
      if (!replay.isUndecided) await write();
    });
    expected = await expectedStaking(recording);
  });

  const listed = (query: Readonly<Record<string, string>>, pageSize = 3): Promise<Item[]> =>
    api.walk(PATH, 'transactions', query, () => pageSize);
  const text = (address: string): string => packAddress({ hrp: 'local', bytes: fromHex(address) });
  const idsOf = (transactions: readonly (Item | ExpectedStaking)[]): unknown[] =>
    transactions.map(({ txHash }) => txHash);
  const outputsOf = (item: Item, list: string): Item[] => {
    const value = item[list];
    return Array.isArray(value) ? value.filter(isRecord) : [];
  };
  const placeOf = (utxo: Item): string =>
    `${toHex(idFromString(String(utxo['txHash'])))}:${String(utxo['outputIndex'])}`;
  const sums = (amounts: readonly { assetId: string; amount: bigint }[]): Record<string, string> => {
    const assets = new Set(amounts.map(({ assetId }) => assetId));
    const entries = [...assets].map((asset): [string, bigint] => [
      idToString(fromHex(asset)),
      sum(amounts.filter(({ assetId }) => assetId === asset).map(({ amount }) => amount)),
    ]);
    return Object.fromEntries(
      entries.filter(([, total]) => total > 0n).map(([id, total]) => [id, String(total)]),
    );
  };
  const amountsIn = (item: Item, list: string): Record<string, unknown> =>
    Object.fromEntries(outputsOf(item, list).map(({ assetId, amount }) => [String(assetId), amount]));

  it('are listed in both orders, page by page, as their blocks and the node have them', async () => {
    const items = await listed({ sortOrder: 'asc' }, 2);
    expect(idsOf(items)).toEqual(idsOf(expected));
    expect(await listed({})).toEqual(items.toReversed());
    expect(await listed({ sortOrder: 'asc' }, 100)).toEqual(items);
    for (const [i, item] of items.entries()) {
      const tx = expected[i];
      if (tx === undefined) throw new Error('one too many');
      const { unsigned, outputs, consumed } = tx;
      expect(item).toMatchObject({
        txHash: tx.txHash,
        txType: tx.txType,
        blockHash: tx.blockHash,
        blockNumber: tx.blockNumber,
        blockTimestamp: tx.blockTimestamp,
        nodeId: tx.nodeId,
        startTimestamp: tx.startTimestamp,
        endTimestamp: tx.endTimestamp,
        sourceChain: PRIMARY_NETWORK_ID,
        destinationChain: PRIMARY_NETWORK_ID,
        subnetId: 'subnetId' in unsigned ? idToString(fromHex(unsigned.subnetId)) : PRIMARY_NETWORK_ID,
        memo: 'memo' in unsigned ? `0x${toHex(unsigned.memo)}` : '0x',
        amountL1ValidatorBalanceBurned: [],
      });
      expect(outputsOf(item, 'consumedUtxos').map(placeOf)).toEqual(consumed);
      expect(outputsOf(item, 'consumedUtxos').map(({ consumingTxHash }) => consumingTxHash)).toEqual(
        consumed.map(() => tx.txHash),
      );
      const emitted = outputsOf(item, 'emittedUtxos');
      expect(emitted.map(placeOf)).toEqual(
        outputs.map((_, index) => `${toHex(idFromString(tx.txHash))}:${index}`),
      );
      expect(emitted.map(({ utxoBytes }) => utxoOwners(String(utxoBytes)))).toEqual(
        outputs.map(({ owners, amount }) => ({ amount, owners: owners.addresses })),
      );
      expect(amountsIn(item, 'value')).toEqual(sums(outputs));
      expect(amountsIn(item, 'amountStaked')).toEqual(sums('stake' in unsigned ? unsigned.stake : []));
      const spent = 'inputs' in unsigned ? unsigned.inputs : [];
      expect(amountsIn(item, 'amountBurned')).toEqual(
        sums([...spent, ...outputs.map(({ assetId, amount }) => ({ assetId, amount: -amount }))]),
      );
      const { potentialReward: whole, keptShares } = tx;
      const left = keptShares === null ? whole : splitReward(whole, keptShares).left;
      expect(item['estimatedReward']).toBe(tx.txType === 'AddSubnetValidatorTx' ? undefined : String(left));
    }
  });

  const utxoOwners = (bytes: string): object => {
    const { output } = parseUtxo(fromHex(bytes.slice(2, -8)));
    return { amount: output.amount, owners: output.owners.addresses };
  };

  it('are those that have to do with each address, with any of some, and with nobody', async () => {
    const everybody = [...new Set(expected.flatMap(({ addresses }) => [...addresses]))];
    for (const address of everybody) {
      const own = expected.filter(({ addresses }) => addresses.has(address));
      expect(idsOf(await listed({ addresses: text(address), sortOrder: 'asc' }, 1))).toEqual(idsOf(own));
      expect(idsOf(await listed({ addresses: `P-${text(address)}` }))).toEqual(idsOf(own.toReversed()));
    }
    const some = everybody.slice(0, 3);
    const theirs = expected.filter(({ addresses }) => some.some((address) => addresses.has(address)));
    expect(idsOf(await listed({ addresses: some.map(text).join(','), sortOrder: 'asc' }, 2))).toEqual(
      idsOf(theirs),
    );
    expect(await listed({ addresses: text('ab'.repeat(20)) })).toEqual([]);
  });

  it('are filtered by type, one or several, repeated or with commas', async () => {
    const ofTypes = (types: readonly string[]): unknown[] =>
      idsOf(expected.filter(({ txType }) => types.includes(txType)));
    for (const txTypes of TYPES) {
      expect(idsOf(await listed({ txTypes, sortOrder: 'asc' }, 1))).toEqual(ofTypes([txTypes]));
    }
    const [first = '', , third = ''] = TYPES;
    const [several, repeated] = [`${third},${first}`, `txTypes=${first}&txTypes=${third}`];
    expect(idsOf(await listed({ txTypes: several, sortOrder: 'asc' }))).toEqual(ofTypes([first, third]));
    const { body } = await api.get(`${PATH}?${repeated}&sortOrder=asc&pageSize=100`);
    expect(idsOf(outputsOf(isRecord(body) ? body : {}, 'transactions'))).toEqual(ofTypes([first, third]));
  });

  it('are filtered by the time of their block, both ends included, with other filters', async () => {
    const times = [...new Set(expected.map(({ blockTimestamp }) => blockTimestamp))];
    const [address = ''] = expected.flatMap(({ addresses }) => [...addresses]);
    for (const from of times) {
      for (const to of [from, from + 1, times.at(-1) ?? 0]) {
        const bounds = { startTimestamp: String(from), endTimestamp: String(to), sortOrder: 'asc' };
        const within = expected.filter(({ blockTimestamp: at }) => at >= from && at <= to);
        expect(idsOf(await listed(bounds, 2))).toEqual(idsOf(within));
        const own = within.filter(
          ({ addresses, txType }) => addresses.has(address) && txType.includes('Delegator'),
        );
        const delegations = 'AddDelegatorTx,AddPermissionlessDelegatorTx';
        expect(idsOf(await listed({ ...bounds, addresses: text(address), txTypes: delegations }, 1))).toEqual(
          idsOf(own),
        );
      }
    }
    expect(await listed({ endTimestamp: '0' })).toEqual([]);
  });

  it('have the fee, the key and the renewal that the list of validators has', async () => {
    const validations = new Map((await validators(api)).map((item) => [item['txHash'], item]));
    for (const item of await listed({}, 100)) {
      const validation = validations.get(item['txHash']) ?? {};
      for (const [ours, theirs] of [
        ['delegationFeePercent', 'delegationFee'],
        ['blsCredentials', 'blsCredentials'],
        ['autoRenew', 'autoRenew'],
      ] as const) {
        expect(item[ours]).toEqual(validation[theirs] ?? undefined);
      }
      const asked = expected.find(({ txHash }) => txHash === item['txHash'])?.unsigned;
      if (asked?.type !== 'AddAutoRenewedValidator') {
        expect(item).not.toHaveProperty('period');
        continue;
      }
      expect(item).toMatchObject({
        period: Number(asked.period),
        autoCompoundRewardShares: asked.autoCompoundShares,
        validatorAuthority: {
          addresses: asked.validatorAuthority.addresses.map(text),
          threshold: asked.validatorAuthority.threshold,
        },
      });
    }
  });

  it('are the same by the id of the chain, with the chain and the network', async () => {
    const byId = await api.get(`${NETWORK}/blockchains/${PRIMARY_NETWORK_ID}/transactions:listStaking`);
    const byName = await api.get(PATH);
    expect(byId.text).toBe(byName.text);
    const body = isRecord(byName.body) ? byName.body : {};
    expect(part(body, 'chainInfo')).toEqual({ chainName: 'p-chain', network: 'fuji' });
  });

  it.each([
    ['pageSize=101', 'pageSize: must be a whole number from 1 to 100'],
    ['pageToken=x', TOKEN_REFUSAL],
    [
      'addresses=x',
      'addresses: must be bech32 addresses with or without P- or X- in front, comma-separated; "x" is none',
    ],
    ['txTypes=BaseTx', `txTypes: must be of ${TYPES.join(', ')}`],
    ['txTypes=', `txTypes: must be of ${TYPES.join(', ')}`],
    ['startTimestamp=-1', 'startTimestamp: must be a whole number from 0 to 253402300799'],
    ['endTimestamp=1&endTimestamp=2', 'endTimestamp: must be given once'],
    ['nodeIds=NodeID-1', 'unknown query parameter nodeIds'],
  ])('answer 400 to %s', async (query, message) => {
    expect(await api.get(`${PATH}?${query}`)).toMatchObject({ status: 400, body: { message } });
  });

  it('answer 400 on other chains', async () => {
    const message = `blockchainId: must be one of p-chain, ${PRIMARY_NETWORK_ID}`;
    const path = PATH.replace('p-chain', 'x-chain');
    expect(await api.get(path)).toMatchObject({ status: 400, body: { message } });
  });

  it('go on from a page token when stakes have come and gone', async () => {
    const before = await listed({});
    expect(before.length).toBeGreaterThan(3);
    const { body } = await api.get(PATH, { pageSize: '2' });
    const nextPageToken = String(isRecord(body) ? body['nextPageToken'] : '');
    const [ended] = before.slice(2);
    const id = idFromString(String(ended?.['txHash']));
    await api.dataSource.query('DELETE FROM staking_listings WHERE tx_id = $1', [id]);
    await api.dataSource.query(
      `INSERT INTO staking_listings SELECT network, address, tx_type, block_time + 1000000000, sha256(tx_id) FROM staking_listings`,
    );
    await api.dataSource.query(
      `INSERT INTO staking_transactions SELECT network, sha256(tx_id), tx_type, block_id, block_height, block_time + 1000000000, unsigned, addresses
         FROM staking_transactions`,
    );
    const rest = await api.get(PATH, { pageSize: '100', pageToken: nextPageToken });
    expect(idsOf(outputsOf(isRecord(rest.body) ? rest.body : {}, 'transactions'))).toEqual(
      idsOf(before.slice(3)),
    );
  });
});
