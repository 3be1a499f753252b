import { Injectable } from '@nestjs/common';
import { WEI_PER_NANO_AVAX } from '../../avalanche/evm/blocks/atomic-transactions.js';
import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { evmChainKey, evmChainName, P_CHAIN, X_CHAIN } from '../../platform/database/chains.js';
import { Database, type Transaction } from '../../platform/database/database.js';
import { partitionOf } from '../../platform/database/partition.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import { ATOMIC } from '../../indexes/evm/facets/facets.js';
import { findCoverageAround } from '../../indexes/engine/coverage/coverage.repository.js';
import { subtract } from '../../indexes/engine/coverage/height-range.js';
import type { SupplyParts } from './supply.js';

/** Where the C-chain's fees go, and what people send there (avalanchego v1.15.0 graft/evm/constants). */
const BURN_ADDRESS: Address = '0x0100000000000000000000000000000000000000';

/** What an index last said of itself counts this long. */
const PROGRESS_COUNTS = '10 minutes';

/** A source of the figures is not there, or not to the tip; the message says which, for people. */
export class IncompleteSupplyError extends Error {
  override readonly name = 'IncompleteSupplyError';
}

/** What the tables have, at one moment. nAVAX. */
interface TableParts extends Omit<SupplyParts, 'cBurnedWei'> {
  readonly atomicBurned: bigint;
  readonly cHeight: bigint;
}

/** Reads what the supply is made of, when all of it is indexed to the tips, and only then. */
@Injectable()
export class SupplyReader {
  constructor(
    private readonly database: Database,
    private readonly chains: EvmChains,
  ) {}

  /** Throws IncompleteSupplyError, and RpcError when no node tells the balance of the burn address. */
  async read(network: NetworkName, signal: AbortSignal): Promise<SupplyParts> {
    const { chain, atomicBurned, cHeight, ...parts } = await this.readTables(network);
    const fees = await this.chains.clientOf(chain).balanceAt({ ...burnAddressAt(cHeight), signal });
    return { ...parts, cBurnedWei: fees + atomicBurned * WEI_PER_NANO_AVAX };
  }

  /** What is burned on the C-chain besides the balance of the burn address at this height, in wei. Throws IncompleteSupplyError. */
  async readCChain(
    network: NetworkName,
  ): Promise<{ chain: EvmChain; height: bigint; atomicBurnedWei: bigint }> {
    const { chain, atomicBurned, cHeight } = await this.readTables(network);
    return { chain, height: cHeight, atomicBurnedWei: atomicBurned * WEI_PER_NANO_AVAX };
  }

  private async readTables(network: NetworkName): Promise<TableParts & { chain: EvmChain }> {
    const chain = this.chains.cChainOf(network);
    if (chain === undefined) throw new IncompleteSupplyError(`no C-chain of ${network} is configured`);
    const parts = await this.database.transaction((transaction) => readTables(transaction, network, chain), {
      begin: 'BEGIN ISOLATION LEVEL REPEATABLE READ',
    });
    return { ...parts, chain };
  }
}

/** Whose balance is asked for, and when. */
export function burnAddressAt(height: bigint): { address: Address; height: bigint } {
  return { address: BURN_ADDRESS, height };
}

async function readTables(
  transaction: Transaction,
  network: NetworkName,
  chain: EvmChain,
): Promise<TableParts> {
  await expectAtTip(transaction, network, P_CHAIN);
  await expectAtTip(transaction, network, X_CHAIN);
  const cHeight = await expectAtTip(transaction, network, evmChainName(chain.chainId));
  await expectAtomicTransactions(transaction, chain, cHeight);
  const p = await readPChain(transaction, network);
  const [other] = await transaction.query<{ x: string; atomic: string; locked: string }>({
    text: `SELECT (SELECT COALESCE(sum(burned), 0) FROM x_chain_transactions WHERE network = $1)::text AS x,
        (SELECT COALESCE(sum(burned), 0) FROM (
           SELECT DISTINCT ON (tx_id) (burned ->> encode($2::bytea, 'hex'))::numeric AS burned FROM evm_atomic_transactions
           WHERE chain_key = $3 AND height <= $4 ORDER BY tx_id, height
         ) AS once)::text AS atomic,
        (SELECT COALESCE(sum(amount), 0) FROM ${partitionOf('utxos', network)}
          WHERE (stakeable_locktime IS NOT NULL OR owner_locktime > 0) AND asset_id = $2 AND consuming_tx_id IS NULL
            AND GREATEST(stakeable_locktime, owner_locktime) > extract(epoch FROM now()))::text AS locked`,
    values: [network, p.avaxAssetId, evmChainKey(chain), cHeight],
  });
  if (other === undefined) throw new Error('a row of sums is always there');
  const { avaxAssetId: _, ...ofP } = p;
  return {
    ...ofP,
    xBurned: BigInt(other.x),
    locked: BigInt(other.locked),
    atomicBurned: BigInt(other.atomic),
    cHeight,
  };
}

/** The height of its newest block, which has to be the tip that the index last saw, or a later one. */
async function expectAtTip(transaction: Transaction, network: NetworkName, chain: string): Promise<bigint> {
  const [row] = await transaction.query<{ height: string; problem: string | null }>({
    text: `SELECT c.height, CASE
        WHEN p.state IS NULL OR p.tip_height IS NULL THEN 'its index has not said where the tip is'
        WHEN p.state <> 'running' THEN 'its index is ' || p.state || COALESCE(': ' || p.message, '')
        WHEN p.updated_at < now() - interval '${PROGRESS_COUNTS}' THEN 'its index has not reported for ${PROGRESS_COUNTS}'
        WHEN c.height < p.tip_height THEN 'its index is at ' || c.height || ' of ' || p.tip_height
        WHEN c.state -> 'history' ->> 'state' <> 'complete' THEN 'the history before its first block is not indexed'
      END AS problem
      FROM index_checkpoints c LEFT JOIN index_progress p USING (network, chain)
      WHERE c.network = $1 AND c.chain = $2`,
    values: [network, chain],
  });
  const problem = row === undefined ? 'it is not indexed' : row.problem;
  if (row === undefined || problem !== null) {
    throw new IncompleteSupplyError(`${chain} of ${network}: ${problem}`);
  }
  return BigInt(row.height);
}

/** Every one since the chain's first block: each burns something. */
async function expectAtomicTransactions(
  transaction: Transaction,
  chain: EvmChain,
  height: bigint,
): Promise<void> {
  const place = { network: chain.network, chain: evmChainName(chain.chainId) };
  const range = { from: 0n, to: height };
  const around = await findCoverageAround(transaction, place, ATOMIC.name, range);
  const complete = around.filter(({ status, version }) => status === 'complete' && version >= ATOMIC.version);
  const [missing] = subtract(range, complete);
  if (missing === undefined) return;
  throw new IncompleteSupplyError(
    `${place.chain} of ${place.network}: imports and exports of blocks ${missing.from} to ${missing.to} are not indexed`,
  );
}

interface PChainRow {
  avaxAssetId: Buffer;
  spent: string;
  rewarded: string;
  burned: string;
  /** Of active L1 validators. */
  balances: string;
  /** Rewards that validators who renew themselves have staked again. */
  restaked: string;
  staked: string;
}

async function readPChain(
  transaction: Transaction,
  network: NetworkName,
): Promise<
  Pick<SupplyParts, 'rewards' | 'pBurned' | 'l1ValidatorFees' | 'staked'> & { avaxAssetId: Buffer }
> {
  const [row] = await transaction.query<PChainRow>({
    text: `SELECT decode(c.state ->> 'avaxAssetId', 'hex') AS "avaxAssetId", t.spent, t.rewarded, t.burned,
        (SELECT COALESCE(sum(end_accumulated_fee - (c.state ->> 'accruedFees')::numeric), 0) FROM l1_validators
          WHERE network = $1 AND weight > 0 AND end_accumulated_fee > 0)::text AS balances,
        (SELECT COALESCE(sum(auto_renewal_accrued_validation_rewards + auto_renewal_accrued_delegatee_rewards), 0)
           FROM validators WHERE network = $1 AND status = 'active' AND auto_renewal_next_period IS NOT NULL)::text AS restaked,
        (SELECT total_weight FROM subnet_stakes WHERE network = $1 AND subnet_id = decode(repeat('00', 32), 'hex')) AS staked
      FROM index_checkpoints c JOIN p_chain_totals t USING (network) WHERE c.network = $1 AND c.chain = $2`,
    values: [network, P_CHAIN],
  });
  if (row === undefined) throw new IncompleteSupplyError(`${P_CHAIN} of ${network}: it is not indexed`);
  const paidIn = BigInt(row.spent) - BigInt(row.burned);
  const l1ValidatorFees = paidIn - BigInt(row.balances);
  return {
    avaxAssetId: row.avaxAssetId,
    rewards: BigInt(row.rewarded) + BigInt(row.restaked),
    pBurned: BigInt(row.burned) + l1ValidatorFees,
    l1ValidatorFees,
    staked: BigInt(row.staked),
  };
}
