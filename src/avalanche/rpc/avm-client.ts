import { z, type ZodType } from 'zod';
import type { CallOptions, JsonRpcClient } from './json-rpc-client.js';
import { isNotFound } from './platform-rejections.js';
import { IdSchema, RpcHexSchema, Uint32Schema, Uint64Schema } from './schemas.js';
import { type UtxoPage, UtxoPageSchema, type UtxoQuery, utxoParams } from './utxo-pages.js';

const AssetSchema = z.object({
  assetID: IdSchema,
  name: z.string(),
  symbol: z.string(),
  denomination: Uint32Schema,
});

/** `avm.*` of the X-chain, avalanchego v1.15.0 (vms/avm/service.go). Rejects with RpcError. */
export class AvmClient {
  constructor(private readonly rpc: JsonRpcClient) {}

  /** Height of the last accepted block. */
  async getHeight(options?: CallOptions): Promise<bigint> {
    return (await this.call('getHeight', {}, z.object({ height: Uint64Schema }), options)).height;
  }

  /** Bytes of an accepted block, without the proposervm's envelope. */
  async getBlockByHeight(query: { height: bigint } & CallOptions): Promise<Uint8Array> {
    const params = { height: query.height.toString(), encoding: 'hex' };
    return (await this.call('getBlockByHeight', params, z.object({ block: RpcHexSchema }), query)).block;
  }

  /** Whether it was accepted. */
  async hasTransaction(query: { txId: string } & CallOptions): Promise<boolean> {
    const params = { txID: query.txId, encoding: 'hex' };
    try {
      await this.call('getTx', params, z.object({ tx: RpcHexSchema }), query);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  /** Of an asset that has been created. */
  async getAssetDescription(query: { assetId: string } & CallOptions): Promise<z.infer<typeof AssetSchema>> {
    return this.call('getAssetDescription', { assetID: query.assetId }, AssetSchema, query);
  }

  /**
   * One page of the unspent outputs at the tip that any of the addresses owns, a part of a multisig included. `next` continues
   * behind this page. An output of several of the addresses may come on several pages.
   */
  async getUtxos(query: UtxoQuery): Promise<UtxoPage> {
    return this.call('getUTXOs', utxoParams(query), UtxoPageSchema, query);
  }

  private call<T>(method: string, params: object, schema: ZodType<T>, options?: CallOptions): Promise<T> {
    return this.rpc.call({
      path: '/ext/bc/X',
      method: `avm.${method}`,
      params,
      schema,
      signal: options?.signal,
    });
  }
}
