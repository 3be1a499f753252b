import { z } from 'zod';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString } from '../../src/avalanche/ids/id.js';
import type { ServedBlock } from '../accepted-chain.js';
import { encodeBlock } from '../p-chain/misconduct.js';
import type { ServedPChain } from '../p-chain/served-p-chain.js';
import { type Encoding, EncodingArgument, IdArgument, Uint64Argument } from './arguments.js';
import { bytesEncoding } from './encoding.js';
import { method, type MethodEntries, RpcFault } from './json-rpc-endpoint.js';

/** Blocks of the P-chain without their envelopes. */
export function blockMethods(pChain: ServedPChain): MethodEntries {
  const answer = ({ bytes, height }: ServedBlock, encoding: Encoding) => ({
    block: encodeBlock(pChain.behaviour, height, bytes, bytesEncoding(encoding)),
    encoding,
  });
  return [
    [
      'getBlock',
      method(z.object({ blockID: IdArgument, encoding: EncodingArgument }), ({ blockID, encoding }) => {
        const block = pChain.byId(toHex(idFromString(blockID)));
        if (block === undefined) throw new RpcFault(`couldn't get block with id ${blockID}: not found`);
        return answer(block, encoding);
      }),
    ],
    [
      'getBlockByHeight',
      method(z.object({ height: Uint64Argument, encoding: EncodingArgument }), ({ height, encoding }) => {
        const block = pChain.at(height);
        if (block === undefined) throw new RpcFault(`couldn't get block at height ${height}: not found`);
        return answer(block, encoding);
      }),
    ],
  ];
}
