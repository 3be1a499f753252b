import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { idToString } from '../../src/avalanche/ids/id.js';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { defaultRecording } from '../../sandbox/p-chain/default-recording.js';
import { readPChainRecording } from '../../sandbox/recording/p-chain-recording.js';
import { startSandbox } from '../../sandbox/sandbox.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { advanceUntilDone, createEvmIndex } from '../support/evm/evm-index.js';
import { DecodedChains, expectAddedUp, exportLedger, ledgerRequest } from '../support/exports/ledger-bed.js';
import { advanceToTip } from '../support/indexer.js';
import { createIndexer } from '../support/p-chain/p-chain-index.js';
import { indexRecording } from '../support/p-chain/index-recording.js';
import { P_CHAIN_RECORDINGS } from '../support/p-chain/p-chain-recordings.js';
import { createXIndexer } from '../support/x-chain/x-chain-index.js';

const cb58 = (hex: string): string => idToString(fromHex(hex));

type Index = 'P' | 'X' | 'C';

async function indexInOrder(order: readonly Index[]): Promise<DataSource> {
  const sandbox = await startSandbox({ validators: 1, blockIntervalMs: 0 });
  onCleanup(() => sandbox.stop());
  const database = await createMigratedDatabase();
  for (const chain of order) {
    if (chain === 'P') await advanceToTip(createIndexer(database, [sandbox.url]).indexer);
    if (chain === 'X') await advanceToTip(createXIndexer(database, [sandbox.url]).indexer);
    if (chain !== 'C') continue;
    const { follower, atomic } = createEvmIndex(database, [`${sandbox.url}/ext/bc/C/rpc`]);
    await advanceUntilDone(follower);
    await advanceUntilDone(atomic);
  }
  return database;
}

describe('the ledger of the recorded P-, X- and C-chain', () => {
  let database: DataSource;
  let decoded: DecodedChains;

  beforeAll(async () => {
    database = await indexInOrder(['P', 'X', 'C']);
    decoded = await DecodedChains.read(defaultRecording(), { withAll: true });
  });

  const exportOf = (owners: readonly string[]) =>
    exportLedger(database, ledgerRequest({ owners, ...decoded.period }));

  it('adds up to the balances at every second, whoever is exported together', async () => {
    const sets = fc.sample(fc.subarray(decoded.holders, { minLength: 1 }), { numRuns: 20, seed: 11 });
    for (const owners of [decoded.holders, ...sets]) {
      expectAddedUp((await exportOf(owners)).rows, decoded, owners);
    }
  });

  it('has rows of each kind', async () => {
    const { rows } = await exportOf(decoded.holders);
    const kinds = rows.map(({ Chain, Kind, Direction }) => `${Chain} ${Kind} ${Direction}`);
    expect([...new Set(kinds)].sort()).toEqual([
      ...[
        'C EXPORT OUT',
        'C FEE OUT',
        'C IMPORT IN',
        'P EXPORT OUT',
        'P FEE OUT',
        'P GENESIS IN',
        'P IMPORT IN',
      ],
      ...['P L1_VALIDATOR_BALANCE OUT', 'P L1_VALIDATOR_REFUND IN', 'P REWARD_DELEGATION IN'],
      ...['P REWARD_VALIDATION IN', 'P REWARD_VALIDATION_FEE IN', 'P STAKE SELF', 'P UNSTAKE SELF'],
      ...['X EXPORT OUT', 'X FEE OUT', 'X GENESIS IN', 'X IMPORT IN', 'X MINT IN'],
    ]);
  });

  it('shares a fee among those who paid it, and counts none twice', async () => {
    const paid = new Map<string, bigint[]>();
    for (const owner of decoded.holders) {
      for (const { TxId = '', Kind, RawAmount = '' } of (await exportOf([owner])).rows) {
        if (Kind === 'FEE') paid.set(TxId, [...(paid.get(TxId) ?? []), BigInt(RawAmount)]);
      }
    }
    const recorded = await database.query<{ id: string; burned: string }[]>(
      `SELECT encode(tx_id, 'hex') AS id, burned FROM p_chain_transactions WHERE burned > 0 AND type <> 'Import'
       UNION ALL SELECT encode(tx_id, 'hex'), burned FROM x_chain_transactions WHERE burned > 0 AND type <> 'Import'`,
    );
    expect(recorded.length).toBeGreaterThan(50);
    for (const { id, burned } of recorded) {
      const shares = paid.get(cb58(id)) ?? [];
      const lost = BigInt(burned) - shares.reduce((sum, share) => sum + share, 0n);
      // Less than one unit of each is rounded away.
      expect([id, lost, shares, lost >= 0n && lost < BigInt(Math.max(1, shares.length))]).toEqual([
        id,
        lost,
        shares,
        true,
      ]);
    }
  });

  it('is the same file however short its turns are', async () => {
    const request = ledgerRequest({ owners: decoded.holders, ...decoded.period });
    const [whole, short] = [await exportLedger(database, request), await exportLedger(database, request, 1)];
    expect(short.file).toBe(whole.file);
    expect(short.progress).toEqual(whole.progress);
  });
});

describe.each(P_CHAIN_RECORDINGS)('the ledger of the recorded %s', (file) => {
  const recording = readPChainRecording(join(projectFolder(), file));
  let database: DataSource;
  let decoded: DecodedChains;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    await indexRecording(recording, database, (_replay, write) => write());
    decoded = await DecodedChains.read(recording, { withAll: false });
  });

  it('adds up to the balances at every second, for each owner and for all', async () => {
    for (const owners of [decoded.holders, ...decoded.holders.map((each) => [each])]) {
      const { rows } = await exportLedger(database, ledgerRequest({ owners, ...decoded.period }));
      expectAddedUp(rows, decoded, owners);
    }
  });

  it('books each reward when it is paid, and as much of it as the lists of stakers have', async () => {
    const { rows } = await exportLedger(
      database,
      ledgerRequest({ owners: decoded.holders, ...decoded.period }),
    );
    const rewards = rows.filter(({ Kind = '' }) => Kind.startsWith('REWARD'));
    const sumOf = (kind: string): string =>
      rewards
        .filter(({ Kind }) => Kind === kind)
        .reduce((sum, { RawAmount = '' }) => sum + BigInt(RawAmount), 0n)
        .toString();
    const [paid] = await database.query<Record<string, string>[]>(
      `SELECT (SELECT COALESCE(sum(paid_validation_reward), 0)::text FROM validators) AS validation,
        (SELECT COALESCE(sum(paid_delegation_reward), 0)::text FROM validators) AS fee,
        (SELECT COALESCE(sum(paid_reward), 0)::text FROM delegators) AS delegation`,
    );
    expect({
      validation: sumOf('REWARD_VALIDATION'),
      fee: sumOf('REWARD_VALIDATION_FEE'),
      delegation: sumOf('REWARD_DELEGATION'),
    }).toEqual(paid);
    for (const { TxType } of rewards) expect(TxType).toMatch(/^Reward(AutoRenewed)?Validator$/);
    const staked = rows.filter(({ Kind }) => Kind === 'STAKE' || Kind === 'UNSTAKE');
    for (const { NodeId, StakingTxId } of staked) expect([NodeId, StakingTxId]).not.toContain('');
  });
});
