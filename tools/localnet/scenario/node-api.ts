import { z } from 'zod';
import { poll } from '../../../sandbox/local/processes/poll.js';
import { fromHex, toHex } from '../../../src/avalanche/ids/hex.js';
import { idFromString } from '../../../src/avalanche/ids/id.js';
import { packRpcHex, unpackRpcHex } from '../../../src/avalanche/ids/rpc-hex.js';
import { parseUtxo, type Utxo } from '../../../src/avalanche/platformvm/codec/utxo.js';
import type { Id } from '../../../src/avalanche/platformvm/ids.js';
import { PlatformVmError } from '../../../src/avalanche/platformvm/platformvm.error.js';
import type { JsonRpcClient } from '../../../src/avalanche/rpc/json-rpc-client.js';

/** UTXOs per call, the most that a node gives. */
const PAGE_SIZE = 1024;
const ACCEPTED_TIMEOUT_MS = 120_000;
const ACCEPTED_INTERVAL_MS = 100;

const IssuedSchema = z.object({ txID: z.string() });
const StatusSchema = z.union([z.string(), z.object({ status: z.string(), reason: z.string().optional() })]);
const UtxosSchema = z.object({
  utxos: z.array(z.string()),
  endIndex: z.object({ address: z.string(), utxo: z.string() }),
});

const RewardsSchema = z.object({ utxos: z.array(z.string()) });

/** Where a chain's own API is and what its methods are called. */
interface ChainApi {
  readonly path: string;
  readonly service: string;
  readonly statusMethod: string;
}

export type ChainAlias = 'P' | 'X' | 'C';

const APIS: Readonly<Record<ChainAlias, ChainApi>> = {
  P: { path: '/ext/bc/P', service: 'platform', statusMethod: 'getTxStatus' },
  X: { path: '/ext/bc/X', service: 'avm', statusMethod: 'getTxStatus' },
  C: { path: '/ext/bc/C/avax', service: 'avax', statusMethod: 'getAtomicTxStatus' },
};

const FINAL_STATUS = new Set(['Committed', 'Aborted', 'Accepted', 'Dropped', 'Rejected']);

/** Calls of scenarios to a node beyond the typed clients: issuing transactions and reading UTXOs on three chains. */
export class NodeApi {
  constructor(readonly rpc: JsonRpcClient) {}

  /** The `result` as the node printed it. Rejects with RpcError. */
  async call(chain: ChainAlias, method: string, params: object): Promise<unknown> {
    const { path, service } = APIS[chain];
    return this.rpc.call({ path, method: `${service}.${method}`, params, schema: z.unknown() });
  }

  /** The id of the transaction, which the node has accepted into its mempool. Rejects with RpcError. */
  async issue(chain: ChainAlias, signedTx: Uint8Array): Promise<Id> {
    const answer = await this.call(chain, 'issueTx', { tx: packRpcHex(signedTx), encoding: 'hex' });
    return toHex(idFromString(IssuedSchema.parse(answer).txID));
  }

  /** How many UTXOs have rewarded a staker; none while it is staking. */
  async countRewards(txId: string): Promise<number> {
    const answer = await this.call('P', 'getRewardUTXOs', { txID: txId, encoding: 'hex' });
    return RewardsSchema.parse(answer).utxos.length;
  }

  /** `Committed`, `Aborted` or `Accepted`. Rejects when the transaction was dropped, or is not decided in time. */
  async waitUntilDecided(chain: ChainAlias, txId: string): Promise<string> {
    const final = await poll({
      what: `decision about ${txId}`,
      timeoutMs: ACCEPTED_TIMEOUT_MS,
      intervalMs: ACCEPTED_INTERVAL_MS,
      ask: async () => {
        const answer = StatusSchema.parse(await this.call(chain, APIS[chain].statusMethod, { txID: txId }));
        const { status, reason } =
          typeof answer === 'string' ? { status: answer, reason: undefined } : answer;
        return FINAL_STATUS.has(status) ? { status, reason } : undefined;
      },
    });
    if (final.status === 'Dropped' || final.status === 'Rejected') {
      throw new Error(`${txId} was dropped: ${final.reason ?? 'no reason given'}`);
    }
    return final.status;
  }

  /** All pages, as hex without checksum, sorted. With a source chain: what waits there to be imported. */
  async getUtxoBytes(query: {
    chain: ChainAlias;
    address: string;
    sourceChain?: ChainAlias | undefined;
  }): Promise<string[]> {
    const { chain, address, sourceChain } = query;
    const found = new Set<string>();
    let startIndex: object | undefined;
    for (;;) {
      const answer = UtxosSchema.parse(
        await this.call(chain, 'getUTXOs', {
          addresses: [address],
          sourceChain,
          limit: PAGE_SIZE,
          startIndex,
          encoding: 'hex',
        }),
      );
      for (const utxo of answer.utxos) found.add(toHex(unpackRpcHex(utxo)));
      if (answer.utxos.length < PAGE_SIZE) return [...found].sort();
      startIndex = answer.endIndex;
    }
  }

  /** Those that are secp256k1 transfer outputs. */
  async getUtxos(query: {
    chain: ChainAlias;
    address: string;
    sourceChain?: ChainAlias | undefined;
  }): Promise<Utxo[]> {
    return (await this.getUtxoBytes(query)).flatMap((hex) => {
      try {
        return [parseUtxo(fromHex(hex))];
      } catch (error) {
        if (error instanceof PlatformVmError) return []; // an output that only the X-chain has
        throw error;
      }
    });
  }
}
