import { z } from 'zod';
import { PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { encodeBytes } from '../p-chain/misconduct.js';
import type { Transactions } from '../world/transactions.js';
import type { World } from '../world/world.js';
import type { ServedXChain } from '../x-chain/served-x-chain.js';
import { xChainMethods } from '../x-chain/x-chain-methods.js';
import { EncodingArgument, IdArgument } from './arguments.js';
import { bytesEncoding } from './encoding.js';
import { method, RpcFault, type RpcService } from './json-rpc-endpoint.js';

const TxArguments = z.object({ txID: IdArgument, encoding: EncodingArgument });

/**
 * `avm.*` (avalanchego v1.15.0 vms/avm/service.go); without recorded blocks only whether the X-chain knows a transaction. It always knows
 * one that is in no block.
 */
export function makeAvmService(
  world: World,
  { ofXChain }: Transactions,
  xChain: ServedXChain | null,
): RpcService {
  const find = (txId: string) => {
    if (txId === PRIMARY_NETWORK_ID) throw new RpcFault('nil transaction ID');
    return ofXChain.txId === txId ? ofXChain.bytes : xChain?.recorded.transaction(txId);
  };
  return {
    name: 'avm',
    methods: new Map([
      ...(xChain === null ? [] : xChainMethods(world, xChain)),
      [
        'getTxStatus',
        method(TxArguments, ({ txID }) => ({ status: find(txID) === undefined ? 'Unknown' : 'Accepted' })),
      ],
      [
        'getTx',
        method(TxArguments, ({ txID, encoding }) => {
          const found = find(txID);
          if (found === undefined) throw new RpcFault('not found');
          return { tx: encodeBytes(found, bytesEncoding(encoding)), encoding };
        }),
      ],
    ]),
    missing: new Set(),
  };
}
