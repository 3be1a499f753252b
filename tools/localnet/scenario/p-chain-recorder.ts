import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { fromHex, toHex } from '../../../src/avalanche/ids/hex.js';
import { idToString, PRIMARY_NETWORK_ID } from '../../../src/avalanche/ids/id.js';
import { unpackRpcHex } from '../../../src/avalanche/ids/rpc-hex.js';
import type { Block } from '../../../src/avalanche/platformvm/block.js';
import { parseBlock } from '../../../src/avalanche/platformvm/codec/block.js';
import type { Transaction } from '../../../src/avalanche/platformvm/transaction.js';
import { unpackAddressedCall } from '../../../src/avalanche/warp/payload/addressed-call.js';
import { unpackMessage } from '../../../src/avalanche/warp/message.js';
import { validationIdOfRegistration } from '../../../src/avalanche/warp/message/register-l1-validator.js';
import { validationIdOfConversion } from '../../../src/avalanche/warp/message/subnet-to-l1-conversion.js';
import { InfoClient } from '../../../src/avalanche/rpc/info-client.js';
import { RpcError } from '../../../src/avalanche/rpc/rpc.error.js';
import type {
  PChainRecording,
  RecordedAnswers,
  RecordedBlock,
} from '../../../sandbox/recording/p-chain-recording.js';
import type { ChainAlias, NodeApi } from './node-api.js';

const POLL_INTERVAL_MS = 50;
const CONTAINERS_PER_CALL = 1024;

/** Calls at a time; the node answers one after the other anyway. */
const CONCURRENCY = 8;

const AnswerSchema = z.record(z.string(), z.unknown());
type Answer = z.infer<typeof AnswerSchema>;
const HeightSchema = z.object({ height: z.string() });
const BlockSchema = z.object({ block: z.string() });
const ContainersSchema = z.object({ containers: z.array(z.object({ bytes: z.string() })) });
const UtxosSchema = z.object({ utxos: z.array(z.string()) });
const ValidatorsSchema = z.object({ validators: z.array(AnswerSchema) });
const SubnetsSchema = z.object({ subnets: z.array(AnswerSchema) });

type RawAnswers = Omit<RecordedAnswers, 'height' | 'step'>;

/** Ids in the blocks that the recorder asks about. All ids in cb58. */
class Subjects {
  /** With the primary network. */
  readonly subnets = new Set([PRIMARY_NETWORK_ID]);
  /** Those with a supply. */
  readonly elastic = new Set([PRIMARY_NETWORK_ID]);
  /** Whose id rewards are paid under. */
  readonly rewarded = new Set<string>();
  readonly l1Validators = new Set<string>();
  readonly transactions = new Set<string>();

  add(block: Block): void {
    for (const transaction of transactionsOf(block)) {
      this.transactions.add(idToString(fromHex(transaction.id)));
      this.addTransaction(transaction);
    }
  }

  private addTransaction({ id, unsigned }: Transaction): void {
    switch (unsigned.type) {
      case 'CreateSubnet':
        this.subnets.add(idToString(fromHex(id)));
        break;
      case 'TransformSubnet':
        this.elastic.add(idToString(fromHex(unsigned.subnetId)));
        break;
      case 'AddValidator':
      case 'AddDelegator':
      case 'AddPermissionlessValidator':
      case 'AddPermissionlessDelegator':
      case 'AddAutoRenewedValidator':
      case 'RewardAutoRenewedValidator':
        this.rewarded.add(idToString(fromHex(id)));
        break;
      case 'ConvertSubnetToL1':
        for (const index of unsigned.validators.keys()) {
          this.l1Validators.add(idToString(validationIdOfConversion(fromHex(unsigned.subnetId), index)));
        }
        break;
      case 'RegisterL1Validator': {
        const { payload } = unpackAddressedCall(unpackMessage(unsigned.message).unsignedMessage.payload);
        this.l1Validators.add(idToString(validationIdOfRegistration(payload)));
        break;
      }
      default:
    }
  }
}

/**
 * Follows a node block by block and asks it everything that can be checked about each state. The node answers only
 * for its newest state, so what the chain moved on from while being asked is asked again for the next height.
 */
export class PChainRecorder {
  /** The current step of the scenario. */
  step = 'genesis';
  private readonly subjects = new Subjects();
  private readonly blocks: string[] = [];
  private readonly answers: RecordedAnswers[] = [];
  private readonly rewards = new Map<string, string[]>();

  constructor(
    private readonly node: NodeApi,
    /** `P-…`; further ones may be added. */
    readonly addresses: readonly string[],
  ) {}

  /** Runs until the signal is aborted. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.catchUp();
      await delay(POLL_INTERVAL_MS);
    }
  }

  /** Answers for the tip, unless there are any; until the chain stands still for as long as that takes. */
  async catchUp(): Promise<RecordedAnswers> {
    for (;;) {
      const height = await this.height();
      const last = this.answers.at(-1);
      if (last?.height === height) return last;
      await this.readBlocks(BigInt(height));
      const { step } = this;
      const answers = await this.ask();
      if ((await this.height()) !== height) continue;
      const recorded = { height, step, ...answers };
      this.answers.push(recorded);
      return recorded;
    }
  }

  /** The blocks up to the last answers. */
  blockBytes(): Uint8Array[] {
    return this.blocks.map((hex) => fromHex(hex));
  }

  async finish(about: {
    description: string;
    genesis: string | null;
    avaxAssetId: string;
    validatorFee: PChainRecording['validatorFee'];
    /** Whether the node indexes containers. */
    hasIndex: boolean;
  }): Promise<PChainRecording> {
    await this.catchUp();
    const info = new InfoClient(this.node.rpc);
    const call = { path: '/ext/info', method: 'info.upgrades', params: {} };
    const [first, ...rest] = await this.recordedBlocks(about.hasIndex);
    const [firstAnswers, ...otherAnswers] = this.answers;
    if (first === undefined || firstAnswers === undefined) throw new Error('nothing was recorded');
    return {
      description: about.description,
      avalanchegoVersion: (await info.getNodeVersion()).version,
      networkId: await info.getNetworkId(),
      avaxAssetId: about.avaxAssetId,
      blockchainIds: {
        X: await info.getBlockchainId({ alias: 'X' }),
        C: await info.getBlockchainId({ alias: 'C' }),
      },
      upgrades: await this.node.rpc.call({
        ...call,
        schema: z.record(z.string(), z.union([z.string(), z.number()])),
      }),
      genesis: about.genesis,
      validatorFee: about.validatorFee,
      blocks: [first, ...rest],
      addresses: [...this.addresses],
      answers: [firstAnswers, ...otherAnswers],
      final: await this.final(),
    };
  }

  private async height(): Promise<string> {
    return HeightSchema.parse(await this.platform('getHeight', {})).height;
  }

  private async readBlocks(tip: bigint): Promise<void> {
    for (let height = BigInt(this.blocks.length); height <= tip; height += 1n) {
      const answer = await this.platform('getBlockByHeight', { height: height.toString(), encoding: 'hex' });
      const bytes = unpackRpcHex(BlockSchema.parse(answer).block);
      this.blocks.push(toHex(bytes));
      this.subjects.add(parseBlock(bytes));
    }
  }

  private async ask(): Promise<RawAnswers> {
    const { subjects, addresses } = this;
    const subnets = [...subjects.subnets];
    const timestamp = z
      .object({ timestamp: z.string() })
      .parse(await this.platform('getTimestamp', {})).timestamp;
    return {
      timestamp: Date.parse(timestamp) / 1000,
      supply: await forEach(subjects.elastic, (subnetID) => this.object('getCurrentSupply', { subnetID })),
      totalStake: await forEach(subnets, (subnetID) => this.object('getTotalStake', { subnetID })),
      validators: await forEach(subnets, (subnetID) => this.validators(subnetID)),
      subnets: await forEach(
        subnets.filter((subnetID) => subnetID !== PRIMARY_NETWORK_ID),
        (subnetID) => this.object('getSubnet', { subnetID }),
      ),
      l1Validators: await forEach(subjects.l1Validators, (validationID) => this.l1Validator(validationID)),
      utxos: await forEach(addresses, (address) => this.node.getUtxoBytes({ chain: 'P', address })),
      atomicUtxos: await this.atomicUtxos(),
      rewardUtxos: await forEach(subjects.rewarded, (txID) => this.rewardUtxos(txID)),
    };
  }

  /** One by one, because only then the node lists the delegators. */
  private async validators(subnetID: string): Promise<Answer[]> {
    const nodeIdSchema = z.object({ nodeID: z.string() });
    const { validators } = ValidatorsSchema.parse(await this.platform('getCurrentValidators', { subnetID }));
    const nodeIds = validators.map((validator) => nodeIdSchema.parse(validator).nodeID);
    const found = await mapConcurrently(nodeIds, async (nodeId) => {
      const answer = await this.platform('getCurrentValidators', { subnetID, nodeIDs: [nodeId] });
      return ValidatorsSchema.parse(answer).validators;
    });
    return found.flat();
  }

  private async l1Validator(validationID: string): Promise<Answer | null> {
    try {
      return await this.object('getL1Validator', { validationID });
    } catch (error) {
      if (error instanceof RpcError && error.code === 'NODE_REJECTED') return null;
      throw error;
    }
  }

  private async atomicUtxos(): Promise<Record<string, string[]>> {
    const sources = (['X', 'C'] as const).flatMap((sourceChain: ChainAlias) =>
      this.addresses.map((address) => ({ sourceChain, address })),
    );
    const found = await mapConcurrently(sources, async ({ sourceChain, address }) => {
      const utxos = await this.node.getUtxoBytes({ chain: 'P', address, sourceChain });
      return [`${sourceChain} ${address}`, utxos] as const;
    });
    return Object.fromEntries(found.filter(([, utxos]) => utxos.length > 0));
  }

  /** Once there they never change. */
  private async rewardUtxos(txID: string): Promise<string[]> {
    const known = this.rewards.get(txID);
    if (known !== undefined) return known;
    const { utxos } = UtxosSchema.parse(await this.platform('getRewardUTXOs', { txID, encoding: 'hex' }));
    const bytes = utxos.map((utxo) => toHex(unpackRpcHex(utxo)));
    if (bytes.length > 0) this.rewards.set(txID, bytes);
    return bytes;
  }

  private async recordedBlocks(hasIndex: boolean): Promise<RecordedBlock[]> {
    const containers: string[] = [];
    while (hasIndex && containers.length < this.blocks.length - 1) {
      const { containers: page } = ContainersSchema.parse(
        await this.node.rpc.call({
          path: '/ext/index/P/block',
          method: 'index.getContainerRange',
          params: { startIndex: containers.length, numToFetch: CONTAINERS_PER_CALL, encoding: 'hex' },
          schema: z.unknown(),
        }),
      );
      containers.push(...page.map(({ bytes }) => toHex(unpackRpcHex(bytes))));
    }
    return this.blocks.map((bytes, height) => ({
      height: String(height),
      bytes,
      container: containers[height - 1] ?? null,
    }));
  }

  private async final(): Promise<PChainRecording['final']> {
    const { subnets } = SubnetsSchema.parse(await this.platform('getSubnets', {}));
    const { blockchains } = z
      .object({ blockchains: z.array(AnswerSchema) })
      .parse(await this.platform('getBlockchains', {}));
    const txStatus = await forEach(this.subjects.transactions, (txID) =>
      this.object('getTxStatus', { txID }),
    );
    return { subnets, blockchains, txStatus };
  }

  private async object(method: string, params: object): Promise<Answer> {
    return AnswerSchema.parse(await this.platform(method, params));
  }

  private async platform(method: string, params: object): Promise<unknown> {
    return this.node.call('P', method, params);
  }
}

export function transactionsOf(block: Block): readonly Transaction[] {
  const decisions = 'transactions' in block ? block.transactions : [];
  return 'transaction' in block ? [...decisions, block.transaction] : decisions;
}

async function forEach<T>(
  keys: Iterable<string>,
  ask: (key: string) => Promise<T>,
): Promise<Record<string, T>> {
  return Object.fromEntries(await mapConcurrently([...keys], async (key) => [key, await ask(key)] as const));
}

async function mapConcurrently<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += CONCURRENCY) {
    results.push(...(await Promise.all(items.slice(start, start + CONCURRENCY).map(map))));
  }
  return results;
}
