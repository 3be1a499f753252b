import { z } from 'zod';
import type { CallOptions, JsonRpcClient } from './json-rpc-client.js';
import { TimestampSecondsSchema, Uint64Schema } from './schemas.js';

const EpochSchema = z
  .object({ number: Uint64Schema, startTime: TimestampSecondsSchema, pChainHeight: Uint64Schema })
  .transform(({ startTime, ...epoch }) => ({ ...epoch, startTimestampSeconds: startTime }));

/** An epoch of ACP-181; all zero before Granite. */
export type Epoch = z.infer<typeof EpochSchema>;

/**
 * `proposervm.*` of avalanchego v1.15.0 (vms/proposervm/service.go), which a node offers for each blockchain that it runs; of
 * others it knows nothing and answers HTTP 404. Every method rejects with RpcError.
 */
export class ProposerVmClient {
  constructor(private readonly rpc: JsonRpcClient) {}

  /** The epoch of the blockchain's next block: one that makes no blocks keeps its epoch, however old that becomes. */
  async getCurrentEpoch(query: { blockchainId: string } & CallOptions): Promise<Epoch> {
    return this.rpc.call({
      path: `/ext/bc/${query.blockchainId}/proposervm`,
      method: 'proposervm.getCurrentEpoch',
      params: {},
      schema: EpochSchema,
      signal: query.signal,
    });
  }
}
