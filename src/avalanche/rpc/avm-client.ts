import { z } from 'zod';
import type { CallOptions, JsonRpcClient } from './json-rpc-client.js';

const StatusSchema = z.object({ status: z.enum(['Accepted', 'Processing', 'Rejected', 'Unknown']) });

export type AvmTxStatus = z.infer<typeof StatusSchema>['status'];

/** `avm.*` of the X-chain, avalanchego v1.15.0 (vms/avm/service.go). Rejects with RpcError. */
export class AvmClient {
  constructor(private readonly rpc: JsonRpcClient) {}

  async getTxStatus(query: { txId: string } & CallOptions): Promise<AvmTxStatus> {
    const { status } = await this.rpc.call({
      path: '/ext/bc/X',
      method: 'avm.getTxStatus',
      params: { txID: query.txId },
      schema: StatusSchema,
      signal: query.signal,
    });
    return status;
  }
}
