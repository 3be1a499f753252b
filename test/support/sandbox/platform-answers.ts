import { z } from 'zod';
import type { JsonRpcClient } from '../../../src/avalanche/rpc/json-rpc-client.js';
import { IdSchema, RpcHexSchema, TimeSchema } from '../../../src/avalanche/rpc/schemas.js';

const BlockchainsSchema = z.object({
  blockchains: z.array(z.object({ id: IdSchema, name: z.string(), subnetID: IdSchema })),
});
const SubnetsSchema = z.object({ subnets: z.array(z.object({ id: IdSchema })) });
const ValidatesSchema = z.object({ blockchainIDs: z.array(IdSchema).nullable() });
const RewardsSchema = z.object({ utxos: z.array(RpcHexSchema) });
const TimestampSchema = z.object({ timestamp: TimeSchema });

/** Answers of nodes about the P-chain that the service does not ask for. */
export class PlatformAnswers {
  constructor(private readonly rpc: JsonRpcClient) {}

  async blockchains() {
    return (await this.call('getBlockchains', {}, BlockchainsSchema)).blockchains;
  }

  async subnetIds(): Promise<string[]> {
    return (await this.call('getSubnets', {}, SubnetsSchema)).subnets.map(({ id }) => id);
  }

  async validates(subnetId: string): Promise<string[]> {
    return (await this.call('validates', { subnetID: subnetId }, ValidatesSchema)).blockchainIDs ?? [];
  }

  async timestamp(): Promise<number> {
    return (await this.call('getTimestamp', {}, TimestampSchema)).timestamp;
  }

  /** UTXOs that rewarded a staker. */
  async rewardUtxos(txId: string): Promise<Uint8Array[]> {
    return (await this.call('getRewardUTXOs', { txID: txId, encoding: 'hex' }, RewardsSchema)).utxos;
  }

  private call<T>(method: string, params: object, schema: z.ZodType<T>): Promise<T> {
    return this.rpc.call({ path: '/ext/bc/P', method: `platform.${method}`, params, schema });
  }
}
