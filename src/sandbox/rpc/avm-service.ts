import { z } from 'zod';
import { PRIMARY_NETWORK_ID } from '../../avalanche/ids/id.js';
import { encodeBytes } from '../p-chain/misconduct.js';
import type { Transactions } from '../world/transactions.js';
import { EncodingArgument, IdArgument } from './arguments.js';
import { bytesEncoding } from './encoding.js';
import { method, RpcFault, type RpcService } from './json-rpc-endpoint.js';

const TxArguments = z.object({ txID: IdArgument, encoding: EncodingArgument });

/** Of `avm.*` only what tells whether the X-chain knows a transaction (avalanchego v1.15.0 vms/avm/service.go). */
export function makeAvmService({ ofXChain }: Transactions): RpcService {
  const find = (txId: string) => {
    if (txId === PRIMARY_NETWORK_ID) throw new RpcFault('nil transaction ID');
    return ofXChain.txId === txId ? ofXChain : undefined;
  };
  return {
    name: 'avm',
    methods: new Map([
      [
        'getTxStatus',
        method(TxArguments, ({ txID }) => ({ status: find(txID) === undefined ? 'Unknown' : 'Accepted' })),
      ],
      [
        'getTx',
        method(TxArguments, ({ txID, encoding }) => {
          const found = find(txID);
          if (found === undefined) throw new RpcFault('not found');
          return { tx: encodeBytes(found.bytes, bytesEncoding(encoding)), encoding };
        }),
      ],
    ]),
    missing: new Set(),
  };
}
