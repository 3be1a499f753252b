import { z } from 'zod';
import { signedAtomicTransaction } from '../../../src/avalanche/evm/blocks/atomic-transactions.js';
import { fromHex } from '../../../src/avalanche/ids/hex.js';
import { idToString } from '../../../src/avalanche/ids/id.js';
import { parseWith } from '../../../src/avalanche/platformvm/codec/bounded-blob.js';
import { RpcHexSchema } from '../../../src/avalanche/rpc/schemas.js';
import type { ChainAlias, NodeApi } from '../../../tools/localnet/scenario/node-api.js';
import type { ListedUtxo } from '../real-nodes/listed-utxos.js';
import { isRecord } from '../http/list-api.js';

const BlockSchema = z.object({ block: z.looseObject({ time: z.number() }) });
const AtomicSchema = z.object({ tx: RpcHexSchema, blockHeight: z.string() });

const EvmBlockSchema = z.object({ timestamp: z.string() });

/** Where and when an output was spent, by the node's own blocks. */
export interface Consumption {
  readonly txId: string;
  readonly height: string;
  readonly time: number;
}

/** Looks for the spending where the list has it; null when the node has no such thing there. */
export async function consumptionAtNode(
  node: NodeApi,
  chain: ChainAlias,
  { txHash, outputIndex, consumingTxHash = '', consumingBlockNumber = '' }: ListedUtxo,
): Promise<Consumption | null> {
  const { transaction, height, time } =
    chain === 'C'
      ? await readAtomic(node, consumingTxHash)
      : await readBlock(node, chain, { height: consumingBlockNumber, txId: consumingTxHash });
  const isSpent = contains(
    transaction,
    (value) => value['txID'] === txHash && value['outputIndex'] === outputIndex,
  );
  return isSpent ? { txId: consumingTxHash, height, time } : null;
}

async function readBlock(
  node: NodeApi,
  chain: 'P' | 'X',
  { height, txId }: { height: string; txId: string },
): Promise<{ transaction: unknown; height: string; time: number }> {
  const answer = await node.call(chain, 'getBlockByHeight', { height, encoding: 'json' });
  const { block } = BlockSchema.parse(answer);
  let transaction: unknown;
  contains(block, (value) => {
    const isIt = value['id'] === txId && 'unsignedTx' in value;
    if (isIt) transaction = value;
    return isIt;
  });
  return { transaction, height, time: block.time };
}

async function readAtomic(
  node: NodeApi,
  txID: string,
): Promise<{ transaction: unknown; height: string; time: number }> {
  // No JSON of it since avalanchego 1.15.
  const answer = await node.call('C', 'getAtomicTx', { txID, encoding: 'hex' });
  const { tx, blockHeight } = AtomicSchema.parse(answer);
  const params = [`0x${BigInt(blockHeight).toString(16)}`, false];
  const call = { path: '/ext/bc/C/rpc', method: 'eth_getBlockByNumber', params };
  const { timestamp } = await node.rpc.call({ ...call, schema: EvmBlockSchema });
  const { unsigned } = parseWith('transaction', tx, signedAtomicTransaction.unpack);
  const inputs = unsigned.type === 'Import' ? unsigned.importedInputs : [];
  const transaction = inputs.map(({ txId, outputIndex }) => {
    return { txID: idToString(fromHex(txId)), outputIndex };
  });
  return { transaction, height: blockHeight, time: Number(timestamp) };
}

/** Whether an object in it, however deep, is one that is looked for. */
function contains(json: unknown, isIt: (value: Record<string, unknown>) => boolean): boolean {
  if (Array.isArray(json)) return json.some((element) => contains(element, isIt));
  if (!isRecord(json)) return false;
  return isIt(json) || Object.values(json).some((value) => contains(value, isIt));
}
