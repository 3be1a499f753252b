import { parseAvmUtxo } from '../../src/avalanche/avm/codec/output.js';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { idToString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import type { Id, ShortId } from '../../src/avalanche/platformvm/ids.js';
import { packUtxo } from '../../src/avalanche/platformvm/codec/utxo.js';
import { utxoId } from '../../src/avalanche/platformvm/utxo-id.js';
import type { RecordedPChain } from '../p-chain/recorded-p-chain.js';
import type { World } from '../world/world.js';
import type { ServedXChain } from '../x-chain/served-x-chain.js';
import type { RpcService } from './json-rpc-endpoint.js';
import {
  bySource,
  getUtxosMethod,
  type ListedUtxo,
  lookUpChain,
  type UtxosByAddress,
} from './utxo-methods.js';

/**
 * `avax.getUTXOs` of the C-chain (avalanchego v1.15.0 vms/saevm/cchain/api.go). What the X-chain exported there waits as recorded;
 * what the P-chain did waits for good, because the recorded C-chain is of another run.
 */
export function makeAvaxService(
  world: World,
  recorded: RecordedPChain | null,
  xChain: ServedXChain | null,
): RpcService {
  /** Made when it is first asked for: it takes reading all blocks. */
  let fromP: UtxosByAddress | undefined;
  const fromX: UtxosByAddress =
    xChain === null ? new Map() : bySource(xChain.recorded.recording.exportedUtxos, 'C', parseAvmUtxo);
  const listOf = (sourceChain: string): UtxosByAddress => {
    const id = lookUpChain(world, sourceChain);
    if (id === PRIMARY_NETWORK_ID) {
      return (fromP ??= recorded === null ? new Map() : exportsOf(recorded, toHex(world.cChainId)));
    }
    return id === idToString(world.xChainId) ? fromX : new Map();
  };
  return {
    name: 'avax',
    methods: new Map([['getUTXOs', getUtxosMethod(world, { alias: 'C', listOf })]]),
    missing: new Set(['issueTx', 'getAtomicTx', 'getAtomicTxStatus']),
  };
}

function exportsOf(recorded: RecordedPChain, destinationChain: Id): UtxosByAddress {
  const lists = new Map<ShortId, ListedUtxo[]>();
  for (const { id: txId, unsigned } of recorded.transactionsInBlocks()) {
    if (unsigned.type !== 'Export' || unsigned.destinationChain !== destinationChain) continue;
    for (const [position, { assetId, ...output }] of unsigned.exportedOutputs.entries()) {
      const outputIndex = unsigned.outputs.length + position;
      const bytes = packUtxo({ txId, outputIndex, assetId, output });
      const listed = { id: utxoId(txId, outputIndex), bytes };
      for (const owner of output.owners.addresses) lists.set(owner, [...(lists.get(owner) ?? []), listed]);
    }
  }
  for (const list of lists.values()) list.sort((a, b) => (a.id < b.id ? -1 : 1));
  return lists;
}
