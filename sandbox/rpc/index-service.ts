import { z } from 'zod';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, idToString } from '../../src/avalanche/ids/id.js';
import { containerId } from '../../src/avalanche/platformvm/codec/proposervm.js';
import { transactionId } from '../../src/avalanche/platformvm/codec/transaction.js';
import type { ServedBlock } from '../accepted-chain.js';
import { type BytesEncoding, encodeBlock, encodeBytes } from '../p-chain/misconduct.js';
import type { ServedPChain } from '../p-chain/served-p-chain.js';
import { type Encoding, EncodingArgument, IdArgument, Uint64Argument } from './arguments.js';
import { bytesEncoding } from './encoding.js';
import { method, type MethodEntries, RpcFault, type RpcService } from './json-rpc-endpoint.js';

const MAX_CONTAINERS = 1024n;

/** Block 0 is no container. */
const FIRST_HEIGHT = 1n;

/** The containers of one index of a node, in the order of acceptance. */
export interface Containers {
  readonly count: bigint;
  at(index: bigint): Container | undefined;
  /** Cb58. */
  byId(id: string): Container | undefined;
}

interface Container {
  readonly index: bigint;
  /** Cb58. */
  readonly id: string;
  readonly timeSeconds: number;
  encode(encoding: BytesEncoding): string;
}

/** The P-chain's blocks. The node's own time of acceptance is not recorded: the chain's stands in for it. */
export function containersOf(pChain: ServedPChain): Containers {
  const describe = (block: ServedBlock | undefined): Container | undefined => {
    if (block === undefined) return undefined;
    const bytes = block.container ?? block.bytes;
    return {
      index: block.height - FIRST_HEIGHT,
      id: idToString(fromHex(containerId(bytes))),
      timeSeconds: pChain.recorded.time,
      encode: (encoding) => encodeBlock(pChain.behaviour, block.height, bytes, encoding),
    };
  };
  return {
    get count() {
      return pChain.height;
    },
    at: (index) => describe(pChain.at(index + FIRST_HEIGHT)),
    byId: (id) => describe(pChain.byContainerId(toHex(idFromString(id)))),
  };
}

/** Transactions of the X-chain from before it had blocks, in hex. */
export function containersOfTransactions(transactions: readonly string[]): Containers {
  const at = (index: bigint): Container | undefined => {
    const hex = transactions[Number(index)];
    if (hex === undefined) return undefined;
    const bytes = fromHex(hex);
    const id = idToString(fromHex(transactionId(bytes)));
    return { index, id, timeSeconds: 0, encode: (encoding) => encodeBytes(bytes, encoding) };
  };
  const indices = transactions.map((_, index) => BigInt(index));
  return {
    count: BigInt(transactions.length),
    at,
    byId: (id) => at(indices.find((index) => at(index)?.id === id) ?? -1n),
  };
}

/** `index.*` of one index, with the shapes and words of avalanchego v1.14.2 (indexer/service.go and index.go). */
export function makeIndexService(containers: Containers): RpcService {
  return {
    name: 'index',
    methods: new Map([...rangeMethods(containers), ...idMethods(containers)]),
    missing: new Set(),
  };
}

function rangeMethods(containers: Containers): MethodEntries {
  const lastIndex = (): bigint => {
    if (containers.count === 0n) throw new RpcFault('no containers have been accepted');
    return containers.count - 1n;
  };
  const byIndex = (index: bigint, encoding: Encoding) => {
    const container = containers.at(index);
    if (container === undefined) throw new RpcFault(`no container at index ${index}`);
    return describe(container, encoding);
  };
  return [
    [
      'getLastAccepted',
      method(z.object({ encoding: EncodingArgument }), ({ encoding }) => byIndex(lastIndex(), encoding)),
    ],
    [
      'getContainerByIndex',
      method(z.object({ index: Uint64Argument, encoding: EncodingArgument }), ({ index, encoding }) =>
        byIndex(index, encoding),
      ),
    ],
    [
      'getContainerRange',
      method(RangeArguments, ({ startIndex, numToFetch, encoding }) => {
        if (numToFetch === 0n || numToFetch > MAX_CONTAINERS) {
          throw new RpcFault(`numToFetch must be in [1,${MAX_CONTAINERS}] but is ${numToFetch}`);
        }
        const last = lastIndex();
        if (startIndex > last) {
          throw new RpcFault(`start index (${startIndex}) > last accepted index (${last})`);
        }
        const end = startIndex + numToFetch - 1n < last ? startIndex + numToFetch - 1n : last;
        const some = Array.from({ length: Number(end - startIndex) + 1 }, (_, offset) =>
          byIndex(startIndex + BigInt(offset), encoding),
        );
        return { containers: some };
      }),
    ],
  ];
}

const RangeArguments = z.object({
  startIndex: Uint64Argument,
  numToFetch: Uint64Argument,
  encoding: EncodingArgument,
});

function idMethods(containers: Containers): MethodEntries {
  const findOrFail = (id: string): Container => {
    const found = containers.byId(id);
    if (found === undefined) throw new RpcFault('not found');
    return found;
  };
  const IdArguments = z.object({ id: IdArgument, encoding: EncodingArgument });
  return [
    ['getContainerByID', method(IdArguments, ({ id, encoding }) => describe(findOrFail(id), encoding))],
    ['getIndex', method(IdArguments, ({ id }) => ({ index: String(findOrFail(id).index) }))],
    ['isAccepted', method(IdArguments, ({ id }) => ({ isAccepted: containers.byId(id) !== undefined }))],
  ];
}

function describe(container: Container, encoding: Encoding) {
  return {
    id: container.id,
    bytes: container.encode(bytesEncoding(encoding)),
    timestamp: new Date(container.timeSeconds * 1000).toISOString(),
    encoding,
    index: String(container.index),
  };
}
