import { z, type ZodType } from 'zod';
import type { CallOptions, JsonRpcClient } from './json-rpc-client.js';
import {
  AllValidatorsAtSchema,
  type CurrentValidator,
  CurrentValidatorSchema,
  GetL1ValidatorSchema,
  type L1ValidatorAtTip,
  type Subnet,
  SubnetSchema,
  type ValidatorAt,
  ValidatorsAtSchema,
  type WarpValidatorSet,
} from './platform-schemas.js';
import { IdSchema, RpcHexSchema, TimeSchema, Uint64Schema } from './schemas.js';
import { type UtxoPage, UtxoPageSchema, type UtxoQuery, utxoParams } from './utxo-pages.js';

const PLATFORM_PATH = '/ext/bc/P';

/** A height, or the one the node would propose a block with: the parent of the oldest block of the last 30 s. */
export type QueryHeight = bigint | 'proposed';

const HeightSchema = z.object({ height: Uint64Schema });
const TxStatusSchema = z.object({
  status: z.enum(['Committed', 'Aborted', 'Processing', 'Dropped', 'Unknown']),
  reason: z.string().optional(),
});

export type TxStatus = z.infer<typeof TxStatusSchema>;

/**
 * `platform.*` of avalanchego v1.14.2 (vms/platformvm/service.go). Every method rejects with RpcError.
 *
 * A refusal of the node arrives as `NODE_REJECTED` with its own words in `rpcMessage`: an unknown blockchain in
 * `validatedBy`, a height above the tip in `getValidatorsAt`, an unknown transaction in `getTx` (see `isNotFound` in
 * platform-rejections.ts).
 */
export class PlatformClient {
  constructor(private readonly rpc: JsonRpcClient) {}

  /** Height of the last accepted block. */
  async getHeight(options?: CallOptions): Promise<bigint> {
    return (await this.call('getHeight', {}, HeightSchema, options)).height;
  }

  /** Time of the chain, that of its last accepted block or of a change of its stakers, in UNIX seconds. */
  async getTimestamp(options?: CallOptions): Promise<number> {
    return (await this.call('getTimestamp', {}, z.object({ timestamp: TimeSchema }), options)).timestamp;
  }

  async getProposedHeight(options?: CallOptions): Promise<bigint> {
    return (await this.call('getProposedHeight', {}, HeightSchema, options)).height;
  }

  /**
   * Node id, key and weight of each validator. Inactive L1 validators are merged under the empty node id without a key.
   * An unknown subnet has no validators; that is not an error.
   */
  async getValidatorsAt(
    query: { subnetId: string; height: QueryHeight } & CallOptions,
  ): Promise<ValidatorAt[]> {
    const params = { subnetID: query.subnetId, height: query.height.toString() };
    return this.call('getValidatorsAt', params, ValidatorsAtSchema, query);
  }

  /** Canonical validator sets of all subnets by subnet id; a subnet without active validators is absent. Since v1.14.0. */
  async getAllValidatorsAt(
    query: { height: QueryHeight } & CallOptions,
  ): Promise<Map<string, WarpValidatorSet>> {
    return this.call('getAllValidatorsAt', { height: query.height.toString() }, AllValidatorsAtSchema, query);
  }

  /** Validators at the tip. Exactly one node id brings its delegators as well, any other number only their count. */
  async getCurrentValidators(
    query: { subnetId?: string; nodeIds?: readonly string[] } & CallOptions = {},
  ): Promise<CurrentValidator[]> {
    const params = { subnetID: query.subnetId, nodeIDs: query.nodeIds ?? [] };
    const schema = z.object({ validators: z.array(CurrentValidatorSchema) });
    return (await this.call('getCurrentValidators', params, schema, query)).validators;
  }

  /** Rejected for the primary network, which is not a subnet to the node. */
  async getSubnet(query: { subnetId: string } & CallOptions): Promise<Subnet> {
    return this.call('getSubnet', { subnetID: query.subnetId }, SubnetSchema, query);
  }

  /** The subnet that validates a blockchain; the P-chain's is the primary network. */
  async validatedBy(query: { blockchainId: string } & CallOptions): Promise<string> {
    const schema = z.object({ subnetID: IdSchema });
    return (await this.call('validatedBy', { blockchainID: query.blockchainId }, schema, query)).subnetID;
  }

  /** Bytes of an accepted transaction. The node's JSON form is not offered: it prints 64-bit numbers that JSON.parse rounds. */
  async getTx(query: { txId: string } & CallOptions): Promise<Uint8Array> {
    const params = { txID: query.txId, encoding: 'hex' };
    return (await this.call('getTx', params, z.object({ tx: RpcHexSchema }), query)).tx;
  }

  async getTxStatus(query: { txId: string } & CallOptions): Promise<TxStatus> {
    return this.call('getTxStatus', { txID: query.txId }, TxStatusSchema, query);
  }

  /** Bytes of an accepted block, without the proposervm's envelope. */
  async getBlockByHeight(query: { height: bigint } & CallOptions): Promise<Uint8Array> {
    const params = { height: query.height.toString(), encoding: 'hex' };
    return (await this.call('getBlockByHeight', params, z.object({ block: RpcHexSchema }), query)).block;
  }

  /** Rejected once the validator was removed; a balance of 0 means inactive. */
  async getL1Validator(query: { validationId: string } & CallOptions): Promise<L1ValidatorAtTip> {
    return this.call('getL1Validator', { validationID: query.validationId }, GetL1ValidatorSchema, query);
  }

  /** nAVAX that an active validator of an L1 pays a second. */
  async getValidatorPrice(options?: CallOptions): Promise<bigint> {
    const schema = z.object({ price: Uint64Schema });
    return (await this.call('getValidatorFeeState', {}, schema, options)).price;
  }

  /** Supply, in the smallest unit of the subnet's staking asset, at the tip's height. */
  async getCurrentSupply(
    query: { subnetId?: string } & CallOptions = {},
  ): Promise<{ supply: bigint; height: bigint }> {
    const schema = z.object({ supply: Uint64Schema, height: Uint64Schema });
    return this.call('getCurrentSupply', { subnetID: query.subnetId }, schema, query);
  }

  /**
   * One page of the unspent outputs at the tip that any of the addresses owns, a part of a multisig included; staked
   * ones are absent. `next` continues behind this page. An output of several of the addresses may come on several pages.
   */
  async getUtxos(query: UtxoQuery): Promise<UtxoPage> {
    return this.call('getUTXOs', utxoParams(query), UtxoPageSchema, query);
  }

  /** Weight of validators and delegators of a subnet at the tip. */
  async getTotalStake(query: { subnetId?: string } & CallOptions = {}): Promise<bigint> {
    const schema = z.object({ weight: Uint64Schema });
    return (await this.call('getTotalStake', { subnetID: query.subnetId }, schema, query)).weight;
  }

  private call<T>(method: string, params: object, schema: ZodType<T>, options?: CallOptions): Promise<T> {
    return this.rpc.call({
      path: PLATFORM_PATH,
      method: `platform.${method}`,
      params,
      schema,
      signal: options?.signal,
    });
  }
}
