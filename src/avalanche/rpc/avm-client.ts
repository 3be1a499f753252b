import { z, type ZodType } from 'zod';
import type { CallOptions, JsonRpcClient } from './json-rpc-client.js';
import { RpcHexSchema, Uint64Schema } from './schemas.js';

const StatusSchema = z.object({ status: z.enum(['Accepted', 'Processing', 'Rejected', 'Unknown']) });

export type AvmTxStatus = z.infer<typeof StatusSchema>['status'];

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

  async getTxStatus(query: { txId: string } & CallOptions): Promise<AvmTxStatus> {
    return (await this.call('getTxStatus', { txID: query.txId }, StatusSchema, query)).status;
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
