import { fromHex } from '../../ids/hex.js';
import { idToString } from '../../ids/id.js';
import { blockchainsOf, type GenesisBlockchain, parseGenesis } from '../../platformvm/genesis/genesis.js';
import { knownGenesisBytes } from '../../platformvm/genesis/known-genesis.js';
import type { Id } from '../../platformvm/ids.js';
import { AVM_ID } from '../../platformvm/vm-ids.js';
import { AvmError } from '../avm.error.js';
import { parseGenesisAssets } from '../codec/genesis.js';
import { packAvmTransaction } from '../codec/transaction.js';
import { transactionId } from '../../platformvm/codec/transaction.js';
import type { AvmChainIdentity } from '../state/avm-execution.js';
import type { AvmTxOf } from '../transaction.js';

/** Initial state of the X-chain, before block 0 and before its time without blocks. */
export interface AvmGenesis {
  readonly identity: AvmChainIdentity;
  /** UNIX seconds. */
  readonly time: number;
  readonly assets: readonly GenesisAsset[];
  /** Of all chains of the network, by their VM. */
  readonly blockchains: readonly GenesisBlockchain[];
}

export interface GenesisAsset {
  /** That of the transaction that would have made it. */
  readonly id: Id;
  readonly alias: string;
  readonly transaction: AvmTxOf<'CreateAsset'>;
}

/**
 * The genesis of a network's X-chain: it stands in the P-chain's genesis, in the transaction that makes the chain, whose id is the
 * chain's. `ownBytes`: bytes of the P-chain's genesis of a network that the project does not know; without them, throws AvmError
 * UNKNOWN_GENESIS for networks other than mainnet, Fuji and 12345.
 */
export async function avmGenesisOf(networkId: number, ownBytes?: Uint8Array): Promise<AvmGenesis> {
  const known = ownBytes ?? (await knownGenesisBytes(networkId));
  if (known === undefined) {
    const message = `the genesis of network ${networkId} is not known; those of mainnet (1), Fuji (5) and the local network (12345) are`;
    throw new AvmError('UNKNOWN_GENESIS', message);
  }
  // A local network moves the time of this genesis, which none of its chains' ids follow.
  const genesis = parseGenesis(known);
  const { time, avaxAssetId } = genesis;
  const blockchains = blockchainsOf(genesis);
  const own = blockchains.find((chain) => chain.vmId === AVM_ID);
  if (own === undefined) throw new AvmError('UNKNOWN_GENESIS', `network ${networkId} has no X-chain`);
  return {
    identity: { networkId, blockchainId: own.blockchainId, avaxAssetId },
    time,
    assets: parseAvmGenesis(own.genesisData),
    blockchains,
  };
}

/**
 * The same, proven to be that of the chain with this id. Throws AvmError UNKNOWN_GENESIS also for another chain of the network.
 */
export async function loadAvmGenesis(
  { networkId, blockchainId }: { networkId: number; blockchainId: Id },
  ownBytes?: Uint8Array,
): Promise<AvmGenesis> {
  const genesis = await avmGenesisOf(networkId, ownBytes);
  if (genesis.identity.blockchainId === blockchainId) return genesis;
  const text = idToString(fromHex(blockchainId));
  throw new AvmError('UNKNOWN_GENESIS', `network ${networkId} has no X-chain ${text}`);
}

/** Throws AvmError MALFORMED and UNKNOWN_TYPE_ID. */
export function parseAvmGenesis(genesisData: Uint8Array): GenesisAsset[] {
  return parseGenesisAssets(genesisData).map(({ alias, ...fields }) => {
    const transaction: AvmTxOf<'CreateAsset'> = { type: 'CreateAsset', ...fields };
    return {
      id: transactionId(packAvmTransaction({ unsigned: transaction, credentials: [] })),
      alias,
      transaction,
    };
  });
}
