import type { DataSource } from 'typeorm';
import { MESSENGER_TOPICS } from '../../src/avalanche/icm/messenger-event.js';
import { findLastSeqs } from '../../src/indexes/evm/rows/log-rows.js';
import { logSetsOf } from '../../src/indexes/evm/sources/logs/log-sets.js';
import { NonceWatch } from '../../src/indexes/evm/sources/logs/message-nonces.js';
import { evmChainKey } from '../../src/platform/database/chains.js';
import { Database } from '../../src/platform/database/database.js';
import type { EvmChain } from '../../src/platform/evm-chains/evm-chain.js';
import { measure, summarise } from './measure.js';
import { format, row } from './report.js';

/** One message in the middle is missing for good, as where a node was state-synced. */
export async function benchNonceWatch(
  dataSource: DataSource,
  { chain, sends, seconds }: { chain: EvmChain; sends: number; seconds: number },
): Promise<string[]> {
  const [set] = logSetsOf(chain);
  if (set === undefined) throw new Error('nothing is watched');
  await makeSends(dataSource, chain, set.name, sends);
  const database = new Database(dataSource);
  const watch = new NonceWatch(chain, set);
  const { signal } = new AbortController();
  const look = async (): Promise<void> => {
    const gaps = await watch.findGaps(database, signal);
    if (gaps.length !== 1) throw new Error(`found ${gaps.length} gaps, there is 1`);
  };
  const first = summarise([await measure({ forMs: 0, call: look })]);
  const forMs = seconds * 1000;
  const again = summarise([await measure({ forMs, call: look })]);
  const newest = summarise([await measure({ forMs, call: () => findLastSeqs(database, chain, [set.name]) })]);
  return [
    row(['Nonce watch, one message missing', 'Time']),
    row(['---', '---']),
    row([`first look at ${sends.toLocaleString('en-US')} messages`, `${format(first.p50Ms)} ms`]),
    row(['each further look', `${format(again.p50Ms)} ms`]),
    row(['reading the newest place alone', `${format(newest.p50Ms)} ms`]),
  ];
}

async function makeSends(
  dataSource: DataSource,
  chain: EvmChain,
  logSet: string,
  sends: number,
): Promise<void> {
  const word = '00'.repeat(32);
  await dataSource.query(
    `INSERT INTO evm_logs (chain_key, log_set, height, log_index, tx_index, block_time, tx_hash, address, topics, data, fee)
     SELECT $1, $2, n, 0, 0, n, decode($3, 'hex'), decode($4, 'hex'), ARRAY[decode($5, 'hex')],
            decode($6 || lpad(to_hex(n), 64, '0') || $6, 'hex'), 0
       FROM generate_series(1, $7::bigint) AS n WHERE n <> $7::bigint / 2`,
    [
      evmChainKey(chain),
      logSet,
      word,
      '00'.repeat(20),
      MESSENGER_TOPICS.sent.slice(2),
      word.repeat(3),
      sends,
    ],
  );
  await dataSource.query('VACUUM ANALYZE evm_logs');
}
