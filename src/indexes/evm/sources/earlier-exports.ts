import { least } from '../../../avalanche/bigints.js';
import { isDeepStrictEqual } from 'node:util';
import type { Id } from '../../../avalanche/platformvm/ids.js';
import { parseUtxo } from '../../../avalanche/platformvm/codec/utxo.js';
import { utxoId } from '../../../avalanche/platformvm/utxo-id.js';
import { fromHex } from '../../../avalanche/ids/hex.js';
import { idToString } from '../../../avalanche/ids/id.js';
import { shortIdToString } from '../../../avalanche/ids/short-id.js';
import { MAX_NODE_LAG_BLOCKS } from '../../../avalanche/evm/rpc/evm-client.js';
import type { AvaxClient } from '../../../avalanche/rpc/avax-client.js';
import type { Database } from '../../../platform/database/database.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import { IndexError } from '../../engine/following/index.error.js';
import type { NodeAtTip } from '../../engine/following/node-pool.js';
import { NodeFailure } from '../../engine/following/node-failure.js';
import {
  findUncheckedUtxos,
  recordUtxoChecks,
  findSourcesTime,
  type UncheckedPlace,
  type UncheckedUtxo,
} from '../../utxos/utxo-checks.js';
import type { EvmIndexRepository } from '../rows/evm-index.repository.js';
import type { EvmNode, EvmNodes } from './evm-node.js';
import { findKnownImports, type KnownImports } from '../facets/known-imports.js';

/** As many addresses as a node takes in one call. */
const CHECKED_AT_ONCE = 1_024;

/** Old exports of the P- and X-chain appear as these are indexed. */
const RETRY_MS = 600_000;

interface Pass {
  readonly known: KnownImports;
  /** Of what was created before this time nothing comes to light any more (UNIX seconds). */
  readonly before: bigint;
  readonly after: UncheckedPlace | undefined;
}

/**
 * UTXOs that were exported to the C-chain before its index begins and not imported since: only nodes know them. Their answers count from a
 * block on at which the index has begun, so that every later import is on record.
 */
export class EarlierExports {
  private nextAttemptAt = 0;
  /** How far they have been asked for, and what they will have been asked for up to at the end of the list. */
  private pass: Pass | undefined;
  /** These need not be looked at again. */
  private settled: Pick<Pass, 'known' | 'before'> | undefined;

  constructor(
    private readonly chain: EvmChain,
    private readonly database: Database,
    private readonly repository: EvmIndexRepository,
    private readonly nodes: EvmNodes,
    private readonly warn: (text: string) => void,
    /** So far the node that reports what can be imported may be behind the one that reported its tip. */
    private readonly maxLagBlocks = MAX_NODE_LAG_BLOCKS,
  ) {}

  /** Asks for some of them, unless there was nothing to ask a short while ago, or nobody to answer; whether there may be more. */
  async check(signal: AbortSignal): Promise<boolean> {
    if (performance.now() < this.nextAttemptAt) return false;
    const known = await findKnownImports(this.database, this.chain);
    const isAnswered = known !== undefined && (await this.checkNext(known, signal));
    this.nextAttemptAt = isAnswered ? 0 : performance.now() + RETRY_MS;
    return isAnswered;
  }

  /** False at the end of the list, and when nobody answers. */
  private async checkNext(known: KnownImports, signal: AbortSignal): Promise<boolean> {
    const { network } = this.chain;
    let pass = isDeepStrictEqual(this.pass?.known, known) ? this.pass : undefined;
    this.pass = pass ??= await this.begin(known);
    for (;;) {
      signal.throwIfAborted();
      const place = { network, ...known, after: pass.after, limit: CHECKED_AT_ONCE };
      const { unchecked, end } = await findUncheckedUtxos(this.database, place);
      if (end === undefined) break;
      if (unchecked.length > 0 && !(await this.askFor(unchecked, known, signal))) return false;
      this.pass = pass = { ...pass, after: end };
      if (unchecked.length > 0) return true;
    }
    this.settled = pass;
    this.pass = undefined;
    return false;
  }

  /** Those that come to light later are newer than what P- and X-chain have come to, unless one of these begins anew. */
  private async begin(known: KnownImports): Promise<Pass> {
    const { settled } = this;
    const sourcesTime = await findSourcesTime(this.database, this.chain.network);
    const before = least(sourcesTime, known.since);
    const isSettled =
      isDeepStrictEqual(settled?.known, known) && settled !== undefined && settled.before <= before;
    return { known, before, after: isSettled ? { id: '', blockTime: settled.before.toString() } : undefined };
  }

  /** The first node that can answer; false when none can. */
  private async askFor(
    unchecked: readonly UncheckedUtxo[],
    { fromHeight }: KnownImports,
    signal: AbortSignal,
  ): Promise<boolean> {
    for (const { node, tip } of await this.usableNodes(signal)) {
      const height = tip - this.maxLagBlocks;
      if (node.avax === undefined || height < fromHeight) continue;
      try {
        const unspent = await unspentAmong(unchecked, node.avax, signal);
        const checked = unchecked.map(({ id }) => id);
        const { network } = this.chain;
        await this.database.transaction((transaction) =>
          recordUtxoChecks(transaction, { network, height, checked, unspent }),
        );
        return true;
      } catch (error) {
        signal.throwIfAborted();
        const failure = NodeFailure.of(node, error);
        if (failure === undefined) throw error;
        this.warn(`which earlier exports can still be imported is not known: ${String(failure)}`);
      }
    }
    return false;
  }

  /** Unusable nodes are not logged: the chain's index reports them. */
  private async usableNodes(signal: AbortSignal): Promise<readonly NodeAtTip<EvmNode>[]> {
    const checkpoint = await this.repository.findCheckpoint(this.chain);
    if (checkpoint === undefined) return [];
    try {
      return (await this.nodes.survey(checkpoint, signal)).usable;
    } catch (error) {
      if (error instanceof IndexError) return [];
      throw error;
    }
  }
}

/** Those of them that the node would let be imported. Rejects with RpcError, PlatformVmError. */
async function unspentAmong(
  utxos: readonly UncheckedUtxo[],
  avax: AvaxClient,
  signal: AbortSignal,
): Promise<ReadonlySet<Id>> {
  const found = new Set<Id>();
  for (const source of new Set(utxos.map(({ sourceChainId }) => sourceChainId))) {
    const exported = utxos.filter(({ sourceChainId }) => sourceChainId === source);
    const addresses = [...new Set(exported.map(({ owner }) => shortIdToString(fromHex(owner))))];
    const sourceChain = idToString(fromHex(source));
    for (const bytes of await avax.getAllUtxos({ addresses, sourceChain, signal })) {
      const { txId, outputIndex } = parseUtxo(bytes);
      found.add(utxoId(txId, outputIndex));
    }
  }
  return found;
}
