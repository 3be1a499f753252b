import { fromHex } from '../../ids/hex.js';
import { idToString } from '../../ids/id.js';
import { sha256Id } from '../codec/sha256.js';
import { PRIMARY_NETWORK, type Id } from '../ids.js';
import type { Output } from '../output.js';
import { PlatformVmError } from '../platformvm.error.js';
import type { Transaction } from '../transaction.js';
import { parseGenesisFields, type GenesisFields } from './genesis-bytes.js';
import { LOCAL_NETWORK_ID, knownGenesisBytes } from './known-genesis.js';
import { localGenesisBytes } from './local-start-time.js';

/** The state before block 0, which is in no block. */
export interface Genesis {
  /** sha256 of its bytes: the parent of block 0. */
  readonly id: Id;
  readonly networkId: number;
  readonly avaxAssetId: Id;
  /** UNIX seconds. */
  readonly time: number;
  /** nAVAX; the potential rewards of the genesis validators come on top. */
  readonly initialSupply: bigint;
  /** Outputs of the transaction id of 32 zero bytes; the position is the output index. */
  readonly utxos: readonly { readonly assetId: Id; readonly output: Output }[];
  /** In the order of the bytes, which is the order that rewards are computed in. */
  readonly validators: readonly Transaction[];
  /** CreateChain transactions of the X- and the C-chain; their ids are the chains' ids. */
  readonly blockchains: readonly Transaction[];
}

/** A blockchain that a CreateChain transaction of the genesis creates. */
export interface GenesisBlockchain {
  readonly blockchainId: Id;
  readonly vmId: Id;
  readonly genesisData: Uint8Array;
}

/** The X- and the C-chain. */
export function blockchainsOf({ blockchains }: Pick<Genesis, 'blockchains'>): GenesisBlockchain[] {
  return blockchains.flatMap(({ id, unsigned }) =>
    unsigned.type === 'CreateChain'
      ? [{ blockchainId: id, vmId: unsigned.vmId, genesisData: unsigned.genesisData }]
      : [],
  );
}

/** The bytes whose sha256 is the parent id of a P-chain's first block. Throws PlatformVmError. */
export function parseGenesis(bytes: Uint8Array): Genesis {
  return toGenesis(sha256Id(bytes), parseGenesisFields(bytes));
}

/**
 * The genesis that a P-chain was started with: `id` is the parent id of its block 0, so what is returned is proven to
 * be the chain's own. `own`: bytes of a network that the project does not know. Throws PlatformVmError UNKNOWN_GENESIS for networks other
 * than mainnet, Fuji and 12345 without them, and when the network's genesis is another one.
 */
export async function loadGenesis(
  { networkId, id }: { networkId: number; id: Id },
  own?: Uint8Array,
): Promise<Genesis> {
  if (own !== undefined) return ownGenesis({ networkId, id }, own);
  const known = await knownGenesisBytes(networkId);
  if (known === undefined) {
    throw new PlatformVmError(
      'UNKNOWN_GENESIS',
      `the genesis of network ${networkId} is not known; those of mainnet (1), Fuji (5) and the local network (12345) are`,
    );
  }
  const candidates =
    networkId === LOCAL_NETWORK_ID ? localGenesisBytes(known, Math.floor(Date.now() / 1000)) : [known];
  for (const bytes of candidates) {
    if (sha256Id(bytes) === id) return parseGenesis(bytes);
  }
  throw new PlatformVmError(
    'UNKNOWN_GENESIS',
    `the P-chain of network ${networkId} starts from a genesis ${idToString(fromHex(id))}, which avalanchego does not make`,
  );
}

function ownGenesis({ networkId, id }: { networkId: number; id: Id }, bytes: Uint8Array): Genesis {
  const genesis = parseGenesis(bytes);
  if (genesis.networkId === networkId && genesis.id === id) return genesis;
  const [theirs, ours] = [id, genesis.id].map((each) => idToString(fromHex(each)));
  throw new PlatformVmError(
    'UNKNOWN_GENESIS',
    `the P-chain of network ${networkId} starts from a genesis ${theirs}; that of its file is ${ours} of network ${genesis.networkId}`,
  );
}

function toGenesis(id: Id, { utxos, validators, blockchains, time, initialSupply }: GenesisFields): Genesis {
  const [blockchain] = blockchains;
  if (!blockchain || !('networkId' in blockchain.unsigned)) throw malformed('it creates no blockchain');
  return {
    id,
    networkId: blockchain.unsigned.networkId,
    avaxAssetId: onlyAsset(utxos, validators),
    time: Number(time),
    initialSupply,
    utxos: utxos.map(({ utxo: { txId, outputIndex, assetId, output } }, position) => {
      if (txId !== PRIMARY_NETWORK || outputIndex !== position) {
        throw malformed(`UTXO ${position} is numbered otherwise`);
      }
      return { assetId, output };
    }),
    validators,
    blockchains,
  };
}

/** At first there is only AVAX: its id is not in the bytes by itself, but in each of the allocations. */
function onlyAsset(utxos: GenesisFields['utxos'], validators: readonly Transaction[]): Id {
  const stakes = validators.flatMap(({ unsigned }) => ('stake' in unsigned ? unsigned.stake : []));
  const assetIds = new Set([
    ...utxos.map(({ utxo }) => utxo.assetId),
    ...stakes.map(({ assetId }) => assetId),
  ]);
  const [assetId] = assetIds;
  if (assetId === undefined || assetIds.size > 1) {
    throw malformed(`${assetIds.size} assets in it, 1 expected`);
  }
  return assetId;
}

function malformed(why: string): PlatformVmError {
  return new PlatformVmError('MALFORMED', `not a genesis: ${why}`);
}
