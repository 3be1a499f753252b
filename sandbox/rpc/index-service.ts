import { z } from 'zod';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, idToString } from '../../src/avalanche/ids/id.js';
import { containerId } from '../../src/avalanche/platformvm/codec/proposervm.js';
import { encodeBlock } from '../p-chain/misconduct.js';
import type { ServedBlock } from '../p-chain/p-chain-blocks.js';
import type { ServedPChain } from '../p-chain/served-p-chain.js';
import { type Encoding, EncodingArgument, IdArgument, Uint64Argument } from './arguments.js';
import { bytesEncoding } from './encoding.js';
import { method, type MethodEntries, RpcFault, type RpcService } from './json-rpc-endpoint.js';

const MAX_CONTAINERS = 1024n;

/** Block 0 is no container. */
const FIRST_HEIGHT = 1n;

/** `index.*` of the P-chain's blocks, with the shapes and words of avalanchego v1.14.2 (indexer/service.go and index.go). */
export function makeIndexService(pChain: ServedPChain): RpcService {
  return {
    name: 'index',
    methods: new Map([...rangeMethods(pChain), ...idMethods(pChain)]),
    missing: new Set(),
  };
}

function rangeMethods(pChain: ServedPChain): MethodEntries {
  const lastHeight = (): bigint => {
    if (pChain.height < FIRST_HEIGHT) throw new RpcFault('no containers have been accepted');
    return pChain.height;
  };
  const byHeight = (height: bigint, encoding: Encoding) => {
    const block = pChain.at(height);
    if (block === undefined) throw new RpcFault(`no container at index ${height - FIRST_HEIGHT}`);
    return describe(pChain, block, encoding);
  };
  return [
    [
      'getLastAccepted',
      method(z.object({ encoding: EncodingArgument }), ({ encoding }) => byHeight(lastHeight(), encoding)),
    ],
    [
      'getContainerByIndex',
      method(z.object({ index: Uint64Argument, encoding: EncodingArgument }), ({ index, encoding }) =>
        byHeight(index + FIRST_HEIGHT, encoding),
      ),
    ],
    [
      'getContainerRange',
      method(RangeArguments, ({ startIndex, numToFetch, encoding }) => {
        if (numToFetch === 0n || numToFetch > MAX_CONTAINERS) {
          throw new RpcFault(`numToFetch must be in [1,${MAX_CONTAINERS}] but is ${numToFetch}`);
        }
        const lastIndex = lastHeight() - FIRST_HEIGHT;
        if (startIndex > lastIndex) {
          throw new RpcFault(`start index (${startIndex}) > last accepted index (${lastIndex})`);
        }
        const end = startIndex + numToFetch - 1n < lastIndex ? startIndex + numToFetch - 1n : lastIndex;
        const containers = Array.from({ length: Number(end - startIndex) + 1 }, (_, offset) =>
          byHeight(startIndex + BigInt(offset) + FIRST_HEIGHT, encoding),
        );
        return { containers };
      }),
    ],
  ];
}

const RangeArguments = z.object({
  startIndex: Uint64Argument,
  numToFetch: Uint64Argument,
  encoding: EncodingArgument,
});

function idMethods(pChain: ServedPChain): MethodEntries {
  const find = (id: string) => pChain.byContainerId(toHex(idFromString(id)));
  const findOrFail = (id: string): ServedBlock => {
    const block = find(id);
    if (block === undefined) throw new RpcFault('not found');
    return block;
  };
  const IdArguments = z.object({ id: IdArgument, encoding: EncodingArgument });
  return [
    [
      'getContainerByID',
      method(IdArguments, ({ id, encoding }) => describe(pChain, findOrFail(id), encoding)),
    ],
    ['getIndex', method(IdArguments, ({ id }) => ({ index: indexOf(findOrFail(id)) }))],
    ['isAccepted', method(IdArguments, ({ id }) => ({ isAccepted: find(id) !== undefined }))],
  ];
}

/** The node's own time of acceptance is not recorded: the chain's stands in for it. */
function describe(pChain: ServedPChain, block: ServedBlock, encoding: Encoding) {
  const { behaviour, recorded } = pChain;
  const container = block.container ?? block.bytes;
  return {
    id: idToString(fromHex(containerId(container))),
    bytes: encodeBlock(behaviour, block.height, container, bytesEncoding(encoding)),
    timestamp: new Date(recorded.time * 1000).toISOString(),
    encoding,
    index: indexOf(block),
  };
}

function indexOf({ height }: ServedBlock): string {
  return String(height - FIRST_HEIGHT);
}
