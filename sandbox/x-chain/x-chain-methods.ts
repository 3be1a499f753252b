import { z } from 'zod';
import { parseAvmUtxo } from '../../src/avalanche/avm/codec/output.js';
import { idToString } from '../../src/avalanche/ids/id.js';
import {
  type Encoding,
  EncodingArgument,
  IdArgument,
  NoArguments,
  TextArgument,
  Uint64Argument,
} from '../rpc/arguments.js';
import { bytesEncoding } from '../rpc/encoding.js';
import { method, type MethodEntries, RpcFault } from '../rpc/json-rpc-endpoint.js';
import { byAddress, bySource, getUtxosMethod, lookUpChain } from '../rpc/utxo-methods.js';
import type { World } from '../world/world.js';
import type { ServedXChain } from './served-x-chain.js';

/** Blocks, assets and UTXOs of the X-chain (avalanchego v1.15.0 vms/avm/service.go). */
export function xChainMethods(world: World, chain: ServedXChain): MethodEntries {
  const { recorded } = chain;
  const { utxos, atomicUtxos } = recorded.recording;
  const own = byAddress(Object.entries(utxos), parseAvmUtxo);
  const [fromP, fromC] = [bySource(atomicUtxos, 'P', parseAvmUtxo), bySource(atomicUtxos, 'C', parseAvmUtxo)];

  const listOf = (sourceChain: string) => {
    if (sourceChain === '') return own;
    const id = lookUpChain(world, sourceChain);
    if (id === idToString(world.xChainId)) return own;
    return id === idToString(world.cChainId) ? fromC : fromP;
  };
  const answer = (block: string | undefined, encoding: Encoding, what: string) => {
    if (block === undefined) throw new RpcFault(`couldn't get block ${what}: not found`);
    return { block, encoding };
  };

  return [
    ['getHeight', method(NoArguments, () => ({ height: String(chain.height) }))],
    [
      'getBlock',
      method(z.object({ blockID: IdArgument, encoding: EncodingArgument }), ({ blockID, encoding }) =>
        answer(chain.blockById(blockID, bytesEncoding(encoding)), encoding, `with id ${blockID}`),
      ),
    ],
    [
      'getBlockByHeight',
      method(z.object({ height: Uint64Argument, encoding: EncodingArgument }), ({ height, encoding }) =>
        answer(chain.block(height, bytesEncoding(encoding)), encoding, `at height ${height}`),
      ),
    ],
    [
      'getAssetDescription',
      method(z.object({ assetID: TextArgument }), ({ assetID }) => {
        const asset = recorded.asset(assetID);
        if (asset === undefined) throw new RpcFault(`failed to find asset ${assetID}: not found`);
        return asset;
      }),
    ],
    ['getUTXOs', getUtxosMethod(world, { alias: 'X', listOf })],
  ];
}
