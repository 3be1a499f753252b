import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../sandbox/local/postgres-server.js';
import { makeBenchFolder } from './bench-folder.js';
import { IndexBench } from './index-bench.js';
import { benchEvmChain } from './index-evm.js';
import { benchHistory } from './index-evm-history.js';
import { benchTipLag } from './index-evm-tip.js';
import { benchSupply } from './index-supply.js';
import { benchPChain } from './index-p-chain.js';
import { describeMachine } from './machine.js';

/** `npm run bench -- index`: how fast the indexes are. The blocks are made up; the nodes are processes that only hand them out. */

const USAGE = `Usage: npm run bench -- index [options]
  --p-chain        only the P-chain
  --evm            only EVM chains
  --tip-lag        only the delay of an EVM chain's tip while all older blocks are filled in (as many as --evm-blocks)
  --supply         only the supply: imports and exports from headers alone, and the sums
  --blocks N       blocks of the P-chain to index (40000)
  --utxos N        UTXOs that the tables have before (0)
  --batch N        blocks of the P-chain per transaction (2000)
  --memory         the P-chain only in memory, without Postgres
  --validators N   simulated validators on the internet to read the P-chain from, too (0: none; mainnet has 930)
  --tip-blocks N   blocks that those accept one after the other while the index follows (40)
  --evm-blocks N   EVM blocks to index (3000)
  --history        only older blocks of an EVM chain far away with two workers, and partitions made again under load
  --partitions N   of those (600)
  --headers N      blocks whose imports and exports are read (100000)
  --supply-rows N  atomic transactions that the supply is made of (1000000)`;

const { values } = parseArgs({
  options: {
    'p-chain': { type: 'boolean', default: false },
    evm: { type: 'boolean', default: false },
    'tip-lag': { type: 'boolean', default: false },
    supply: { type: 'boolean', default: false },
    blocks: { type: 'string', default: '40000' },
    utxos: { type: 'string', default: '0' },
    batch: { type: 'string', default: '2000' },
    validators: { type: 'string', default: '0' },
    'tip-blocks': { type: 'string', default: '40' },
    memory: { type: 'boolean', default: false },
    'evm-blocks': { type: 'string', default: '3000' },
    headers: { type: 'string', default: '100000' },
    'supply-rows': { type: 'string', default: '1000000' },
    history: { type: 'boolean', default: false },
    partitions: { type: 'string', default: '600' },
    help: { type: 'boolean', default: false },
  },
});
const [blocks, batchBlocks, evmBlocks, headers, rows] = [
  ...[values.blocks, values.batch, values['evm-blocks'], values.headers, values['supply-rows']],
].map(Number);
if (
  values.help ||
  ![blocks, batchBlocks, evmBlocks, headers, rows].every(
    (number) => Number.isInteger(number) && Number(number) > 0,
  )
) {
  console.error(USAGE);
  process.exit(values.help ? 0 : 2);
}

const log = (text: string): void => console.error(`[bench] ${text}`);
const folder = makeBenchFolder();
const reports: string[] = [];
try {
  log('starting Postgres');
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), progress: log });
  const bench = new IndexBench(folder, postgres, log);
  try {
    const { evm: wantsEvm, 'p-chain': wantsPChain, 'tip-lag': wantsTipLag, supply: wantsSupply } = values;
    const wantsAll = !wantsEvm && !wantsPChain && !wantsTipLag && !wantsSupply && !values.history;
    if (wantsAll || wantsPChain) {
      const options = {
        blocks: blocks ?? 0,
        batchBlocks: batchBlocks ?? 0,
        memoryOnly: values.memory,
        utxos: Number(values.utxos),
        validators: Number(values.validators),
        tipBlocks: Number(values['tip-blocks']),
      };
      reports.push(await benchPChain(bench, options));
    }
    if (wantsAll || wantsEvm) reports.push(await benchEvmChain(bench, evmBlocks ?? 0));
    if (wantsAll || wantsSupply) {
      reports.push(await benchSupply(bench, { blocks: headers ?? 0, rows: rows ?? 0 }));
    }
    if (values.history) {
      const options = { blocks: evmBlocks ?? 0, partitions: Number(values.partitions) };
      reports.push(await benchHistory(bench, options));
    }
    if (wantsTipLag) reports.push(await benchTipLag(bench, evmBlocks ?? 0));
  } finally {
    await postgres.stop();
  }
} finally {
  if (reports.length > 0) console.log([...reports, describeMachine()].join('\n\n'));
}
