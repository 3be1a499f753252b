import { z } from 'zod';
import { hrpOfNetwork, packAddress, unpackAddress } from '../../src/avalanche/ids/address.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { IdError } from '../../src/avalanche/ids/id.error.js';
import { idFromString, idToString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { shortIdFromString } from '../../src/avalanche/ids/short-id.js';
import type { Id, ShortId } from '../../src/avalanche/platformvm/ids.js';
import { parseUtxo } from '../../src/avalanche/platformvm/codec/utxo.js';
import { utxoId } from '../../src/avalanche/platformvm/utxo-id.js';
import { encodeBytes } from '../p-chain/misconduct.js';
import type { RecordedPChain } from '../p-chain/recorded-p-chain.js';
import type { World } from '../world/world.js';
import { EncodingArgument, IdArgument, TextArgument, Uint64Argument } from './arguments.js';
import { bytesEncoding } from './encoding.js';
import { lookUp } from './info-service.js';
import { method, type MethodEntries, RpcFault } from './json-rpc-endpoint.js';

const MAX_ADDRESSES = 1024;
const MAX_PAGE_SIZE = 1024n;
const NO_ADDRESS = '00'.repeat(20);
const NO_UTXO = '00'.repeat(32);

export interface ListedUtxo {
  readonly id: Id;
  readonly bytes: Uint8Array;
}

/** Ascending by UTXO id, by address. */
export type UtxosByAddress = ReadonlyMap<ShortId, readonly ListedUtxo[]>;

const UtxoArguments = z.object({
  addresses: z
    .array(z.string())
    .nullish()
    .transform((addresses) => addresses ?? []),
  sourceChain: TextArgument,
  limit: Uint64Argument,
  startIndex: z
    .object({ address: TextArgument, utxo: TextArgument })
    .nullish()
    .transform((index) => index ?? { address: '', utxo: '' }),
  encoding: EncodingArgument,
});

/** Outputs of the recorded addresses at the recorded node. */
export function utxoMethods(world: World, recorded: RecordedPChain): MethodEntries {
  const { utxos, atomicUtxos, rewardUtxos } = recorded.answers;
  const lists = {
    P: byAddress(Object.entries(utxos), parseUtxo),
    X: bySource(atomicUtxos, 'X', parseUtxo),
    C: bySource(atomicUtxos, 'C', parseUtxo),
  };

  function listOf(sourceChain: string): UtxosByAddress {
    const id = sourceChain === '' ? PRIMARY_NETWORK_ID : lookUpChain(world, sourceChain);
    if (id === idToString(world.xChainId)) return lists.X;
    return id === idToString(world.cChainId) ? lists.C : lists.P;
  }

  return [
    ['getUTXOs', getUtxosMethod(world, { alias: 'P', listOf })],
    [
      'getRewardUTXOs',
      method(z.object({ txID: IdArgument, encoding: EncodingArgument }), ({ txID, encoding }) => {
        const rewards = rewardUtxos[txID] ?? [];
        return {
          numFetched: String(rewards.length),
          utxos: rewards.map((hex) => encodeBytes(fromHex(hex), bytesEncoding(encoding))),
          encoding,
        };
      }),
    ],
  ];
}

/** `getUTXOs` of the P-, X- or C-chain; `listOf` gives the UTXOs by the source chain that is asked for, or none. */
export function getUtxosMethod(
  world: World,
  { alias, listOf }: { alias: 'P' | 'X' | 'C'; listOf: (sourceChain: string) => UtxosByAddress },
) {
  const reader: AddressReader = { alias, hrp: hrpOfNetwork(world.networkId) };
  return method(UtxoArguments, ({ addresses, sourceChain, limit, startIndex, encoding }) => {
    if (addresses.length === 0) throw new RpcFault('no addresses provided');
    if (addresses.length > MAX_ADDRESSES) {
      throw new RpcFault(`number of addresses given, ${addresses.length}, exceeds maximum, ${MAX_ADDRESSES}`);
    }
    const page = pageOf(listOf(sourceChain), {
      addresses: addresses.map((address) => readAddress(reader, address)),
      start: readStart(reader, startIndex),
      limit: limit === 0n || limit > MAX_PAGE_SIZE ? Number(MAX_PAGE_SIZE) : Number(limit),
    });
    return {
      numFetched: String(page.utxos.length),
      utxos: page.utxos.map((bytes) => encodeBytes(bytes, bytesEncoding(encoding))),
      endIndex: {
        address: packAddress({ chainAlias: alias, hrp: reader.hrp, bytes: fromHex(page.end.address) }),
        utxo: idToString(fromHex(page.end.utxo)),
      },
      encoding,
    };
  });
}

/** Whose addresses may be named. */
interface AddressReader {
  readonly alias: 'P' | 'X' | 'C';
  readonly hrp: string;
}

interface Place {
  readonly address: ShortId;
  readonly utxo: Id;
}

/**
 * Address by address and each one's UTXOs by id, from after the place where the last page ended; what belongs to
 * several of the addresses comes once a page (avalanchego v1.14.2 vms/components/avax/utxo_fetching.go).
 */
function pageOf(
  list: UtxosByAddress,
  { addresses, start, limit }: { addresses: readonly ShortId[]; start: Place; limit: number },
): { utxos: Uint8Array[]; end: Place } {
  const found = new Map<Id, Uint8Array>();
  let end = start;
  for (const address of [...new Set(addresses)].sort()) {
    if (address < start.address) continue;
    const after = address === start.address ? start.utxo : NO_UTXO;
    end = { ...end, address };
    for (const { id, bytes } of list.get(address) ?? []) {
      if (id <= after) continue;
      end = { address, utxo: id };
      found.set(id, bytes);
      if (found.size >= limit) return { utxos: [...found.values()], end };
    }
  }
  return { utxos: [...found.values()], end };
}

/** Recorded lists by address, with the chain in front or without. */
export function byAddress(
  entries: readonly (readonly [string, readonly string[]])[],
  parse: ParseOrigin,
): UtxosByAddress {
  return new Map(
    entries.map(([address, list]) => [
      toHex(unpackAddress(address).bytes),
      list.map((hex) => toListed(hex, parse)).sort((a, b) => (a.id < b.id ? -1 : 1)),
    ]),
  );
}

/** Of recorded lists by `<chain alias> <address>` those of one chain. */
export function bySource(
  lists: Readonly<Record<string, readonly string[]>>,
  alias: string,
  parse: ParseOrigin,
): UtxosByAddress {
  const entries = Object.entries(lists).flatMap(([key, list]) => {
    const [chain, address = ''] = key.split(' ');
    return chain === alias ? [[address, list] as const] : [];
  });
  return byAddress(entries, parse);
}

type ParseOrigin = (bytes: Uint8Array) => { readonly txId: Id; readonly outputIndex: number };

function toListed(hex: string, parse: ParseOrigin): ListedUtxo {
  const bytes = fromHex(hex);
  const { txId, outputIndex } = parse(bytes);
  return { id: utxoId(txId, outputIndex), bytes };
}

export function lookUpChain(world: World, chain: string): string {
  try {
    return lookUp(world, chain);
  } catch (error) {
    if (!(error instanceof RpcFault)) throw error;
    throw new RpcFault(`problem parsing source chainID ${JSON.stringify(chain)}: ${error.message}`);
  }
}

function readStart(reader: AddressReader, { address, utxo }: { address: string; utxo: string }): Place {
  if (address === '' && utxo === '') return { address: NO_ADDRESS, utxo: NO_UTXO };
  try {
    return { address: readAddress(reader, address), utxo: toHex(idFromString(utxo)) };
  } catch (error) {
    if (!(error instanceof IdError)) throw error;
    throw new RpcFault(`couldn't parse start index utxo: ${error.message}`);
  }
}

/** With or without the text forms that the node takes: cb58 of the bytes, or e.g. `P-` and bech32 of this network. */
function readAddress(reader: AddressReader, text: string): ShortId {
  try {
    return toHex(shortIdFromString(text));
  } catch {
    return readBech32(reader, text);
  }
}

function readBech32({ alias, hrp }: AddressReader, text: string): ShortId {
  const fault = (why: string): RpcFault =>
    new RpcFault(`couldn't parse address ${JSON.stringify(text)}: ${why}`);
  try {
    const address = unpackAddress(text);
    if (address.chainAlias !== alias) throw fault('no separator found in address');
    if (address.hrp !== hrp) {
      throw fault(`expected hrp ${JSON.stringify(hrp)} but got ${JSON.stringify(address.hrp)}`);
    }
    return toHex(address.bytes);
  } catch (error) {
    if (!(error instanceof IdError)) throw error;
    throw fault(error.message);
  }
}
