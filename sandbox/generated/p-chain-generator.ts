import { createHash } from 'node:crypto';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { idToString } from '../../src/avalanche/ids/id.js';
import type { Block } from '../../src/avalanche/platformvm/block.js';
import {
  blockId,
  type BlockFields,
  packBlock,
  parseBlock,
} from '../../src/avalanche/platformvm/codec/block.js';
import { packTransaction, transactionId } from '../../src/avalanche/platformvm/codec/transaction.js';
import {
  packGenesisFields,
  parseGenesisFields,
} from '../../src/avalanche/platformvm/genesis/genesis-bytes.js';
import { type Genesis, parseGenesis } from '../../src/avalanche/platformvm/genesis/genesis.js';
import { knownGenesisBytes } from '../../src/avalanche/platformvm/genesis/known-genesis.js';
import { containerId, wrapBlock } from '../../src/avalanche/platformvm/codec/proposervm.js';
import { type Id, PRIMARY_NETWORK } from '../../src/avalanche/platformvm/ids.js';
import type {
  OutputOwners,
  TransferableInput,
  TransferableOutput,
} from '../../src/avalanche/platformvm/output.js';
import type {
  BaseFields,
  Credential,
  Transaction,
  UnsignedTx,
} from '../../src/avalanche/platformvm/transaction.js';
import type { PChainRecording } from '../recording/p-chain-recording.js';

const LOCAL_NETWORK_ID = 12345;

/** Those of a local network that an index asks for. */
export const LOCAL_UPGRADES = {
  banffTime: '2020-12-05T05:00:00Z',
  cortinaTime: '2020-12-05T05:00:00Z',
  durangoTime: '2020-12-05T05:00:00Z',
  etnaTime: '2020-12-05T05:00:00Z',
  heliconTime: '9999-12-01T00:00:00Z',
};

const DAY = 24 * 3600;
const BLOCK_SECONDS = 20;
const DELEGATION_SECONDS = 14 * DAY;
const FEE = 1_000_000n;
const AVAX = 1_000_000_000n;
/** Outputs are split while there are fewer, and joined above. */
const WANTED_OUTPUTS = 5_000;

interface Spendable {
  readonly txId: Id;
  readonly outputIndex: number;
  readonly amount: bigint;
  readonly owners: OutputOwners;
}

export interface GeneratedBlock {
  readonly height: number;
  readonly id: Id;
  readonly bytes: Uint8Array;
}

type WithoutPlace<T> = T extends unknown ? Omit<T, 'id' | 'parentId' | 'height'> : never;

/** The genesis of the network 12345 in the project's data. */
export async function localGenesis(): Promise<Genesis> {
  return parseGenesis(await genesisBytesOf(LOCAL_NETWORK_ID));
}

/** The same for another network id, which all its transactions then have. */
export async function genesisBytesOf(networkId: number): Promise<Uint8Array> {
  const bytes = await knownGenesisBytes(LOCAL_NETWORK_ID);
  if (bytes === undefined) throw new Error('the local genesis is missing');
  if (networkId === LOCAL_NETWORK_ID) return bytes;
  const fields = parseGenesisFields(bytes);
  const onNetwork = ({ unsigned, ...rest }: Transaction): Transaction =>
    Object.assign(rest, {
      unsigned: 'networkId' in unsigned ? Object.assign({}, unsigned, { networkId }) : unsigned,
    });
  return packGenesisFields({
    ...fields,
    validators: fields.validators.map(onNetwork),
    blockchains: fields.blockchains.map(onNetwork),
  });
}

/**
 * Blocks from 0 on as a sandbox serves them, of a chain of which nothing else is known. Their envelopes are linked, and such as anybody
 * may propose: without certificate and signature.
 */
export async function pChainOf(
  blocks: readonly Pick<GeneratedBlock, 'bytes'>[],
  upgrades: Readonly<Record<string, string>> = LOCAL_UPGRADES,
  networkId = LOCAL_NETWORK_ID,
): Promise<PChainRecording> {
  const genesis = await genesisBytesOf(networkId);
  const { avaxAssetId, blockchains, time } = parseGenesis(genesis);
  const [xChain = '', cChain = ''] = blockchains.map(({ id }) => idToString(fromHex(id)));
  let parentId = PRIMARY_NETWORK;
  const [first, ...others] = blocks.map(({ bytes }, height) => {
    const container = height === 0 ? null : envelop(bytes, parentId);
    parentId = containerId(container ?? bytes);
    return { height: String(height), bytes: toHex(bytes), container: container && toHex(container) };
  });
  if (first === undefined) throw new RangeError('a chain has at least block 0');
  return {
    description: 'generated',
    avalanchegoVersion: '',
    networkId,
    avaxAssetId: idToString(fromHex(avaxAssetId)),
    blockchainIds: { X: xChain, C: cChain },
    upgrades: { ...upgrades },
    genesis: networkId === LOCAL_NETWORK_ID ? null : toHex(genesis),
    validatorFee: null,
    blocks: [first, ...others],
    addresses: [],
    answers: [
      {
        height: String(others.length),
        step: 'generated',
        timestamp: time,
        supply: {},
        totalStake: {},
        validators: {},
        subnets: {},
        l1Validators: {},
        utxos: {},
        atomicUtxos: {},
        rewardUtxos: {},
      },
    ],
    final: { subnets: [], blockchains: [], txStatus: {} },
  };
}

function envelop(inner: Uint8Array, parentId: Id): Uint8Array {
  const block = parseBlock(inner);
  switch (block.type) {
    case 'ApricotAbort':
    case 'ApricotCommit':
    case 'BanffAbort':
    case 'BanffCommit':
      return wrapBlock({ type: 'option', parentId, inner });
    default:
      return wrapBlock({
        type: 'block',
        parentId,
        timestamp: 'time' in block ? block.time : 0n,
        pChainHeight: 0n,
        certificate: new Uint8Array(),
        inner,
        epoch: null,
        signature: new Uint8Array(),
      });
  }
}

/**
 * A P-chain as it might be: transfers mostly, delegations that end with a proposal and its option, exports, imports, subnets and
 * their blockchains. It starts from the local network's genesis; the same seed makes the same bytes. Signatures are noise.
 */
export class PChainGenerator {
  private height = -1;
  private parentId: Id;
  private time: number;
  private counter = 0;
  private readonly outputs: Spendable[] = [];
  private readonly delegations: { txId: Id; end: number }[] = [];

  constructor(
    private readonly genesis: Genesis,
    private readonly seed = 'generator',
  ) {
    this.parentId = genesis.id;
    this.time = genesis.time;
    genesis.utxos.forEach(({ output }, outputIndex) => {
      const { amount, owners } = output;
      this.outputs.push({ txId: PRIMARY_NETWORK, outputIndex, amount, owners });
    });
  }

  /** The next block; block 0 is the first. */
  next(): GeneratedBlock {
    if (this.height < 0) return this.make({ type: 'ApricotCommit' });
    const [ending] = this.delegations;
    if (this.pending !== undefined) {
      const decision = this.pending;
      this.pending = undefined;
      return decision;
    }
    if (ending !== undefined && ending.end <= this.time + BLOCK_SECONDS) return this.reward(ending);
    this.time += BLOCK_SECONDS;
    const count = 1 + (this.random(2) === 0 ? 1 : 0);
    const transactions = Array.from({ length: count }, () => this.transaction());
    return this.make({ type: 'BanffStandard', time: BigInt(this.time), transactions });
  }

  /** A block of the caller's own orders, which move no funds. */
  order(make: (base: ReturnType<PChainGenerator['base']>) => UnsignedTx[]): GeneratedBlock & { txIds: Id[] } {
    this.time += BLOCK_SECONDS;
    const transactions = make(this.base([], [])).map((unsigned) => this.sign(unsigned, 0));
    const block = this.make({ type: 'BanffStandard', time: BigInt(this.time), transactions });
    return { ...block, txIds: transactions.map(({ id }) => id) };
  }

  /** That many blocks more. */
  take(count: number): GeneratedBlock[] {
    return Array.from({ length: count }, () => this.next());
  }

  /** A block that brings so much from the C-chain, at a time (UNIX seconds). */
  fund(time: number, amount: bigint): GeneratedBlock {
    this.time = time;
    return this.make({ type: 'BanffStandard', time: BigInt(time), transactions: [this.import(amount)] });
  }

  /** A block of one transaction of the caller's at a time (UNIX seconds); what it spends and gets back stands in `base`. */
  accept(
    time: number,
    make: (base: BaseFields) => UnsignedTx,
    stake: TransferableOutput | null = null,
  ): { block: GeneratedBlock; txId: Id } {
    this.time = time;
    const staked = stake?.amount ?? 0n;
    const spent: Spendable[] = [];
    while (total(spent) < staked + FEE * 2n) spent.push(...this.spend(1));
    const outputs = this.pay(total(spent) - staked - FEE, 1);
    const transaction = this.add(make(this.base(spent, outputs)), outputs);
    const block = this.make({ type: 'BanffStandard', time: BigInt(time), transactions: [transaction] });
    return { block, txId: transaction.id };
  }

  /** A proposal at a time (UNIX seconds), and the decision about it. */
  decide(
    time: number,
    unsigned: UnsignedTx,
    isCommitted: boolean,
  ): { proposal: GeneratedBlock; decision: GeneratedBlock; txId: Id } {
    this.time = time;
    const transaction = this.sign(unsigned, 0);
    const proposal = this.make({ type: 'BanffProposal', time: BigInt(time), transactions: [], transaction });
    const decision = this.make({ type: isCommitted ? 'BanffCommit' : 'BanffAbort', time: BigInt(time) });
    return { proposal, decision, txId: transaction.id };
  }

  private pending: GeneratedBlock | undefined;

  private reward({ txId, end }: { txId: Id; end: number }): GeneratedBlock {
    this.delegations.shift();
    const isCommitted = this.random(10) > 0;
    const { proposal, decision } = this.decide(
      end,
      { type: 'RewardValidator', stakerTxId: txId },
      isCommitted,
    );
    this.pending = decision;
    return proposal;
  }

  private transaction(): Transaction {
    const kind = this.random(100);
    if (kind < 10) return this.delegate();
    if (kind < 18) return this.export();
    if (kind < 26) return this.import();
    if (kind < 28) return this.createSubnet();
    return this.transfer();
  }

  private transfer(): Transaction {
    const joins = this.outputs.length > WANTED_OUTPUTS;
    const spent = this.spend(joins ? 2 : 1);
    const outputs = this.pay(total(spent) - FEE, joins ? 1 : 2);
    return this.add({ type: 'Base', ...this.base(spent, outputs) }, outputs);
  }

  private delegate(): Transaction {
    const weight = 25n * AVAX;
    const spent = this.spend(1);
    if (total(spent) < weight + FEE * 2n) return this.transferOf(spent);
    const outputs = this.pay(total(spent) - weight - FEE, 1);
    const validators = this.genesis.validators;
    const validator = validators[this.random(validators.length)]?.unsigned;
    if (validator === undefined || !('validator' in validator)) throw new Error('no genesis validator');
    const end = this.time + DELEGATION_SECONDS;
    const stake = [{ ...this.output(weight) }];
    const transaction = this.add(
      {
        type: 'AddPermissionlessDelegator',
        ...this.base(spent, outputs),
        validator: { nodeId: validator.validator.nodeId, start: 0n, end: BigInt(end), weight },
        subnetId: PRIMARY_NETWORK,
        stake,
        rewardsOwner: this.owners(),
      },
      outputs,
    );
    this.delegations.push({ txId: transaction.id, end });
    return transaction;
  }

  private export(): Transaction {
    const spent = this.spend(1);
    const [, cChain] = this.genesis.blockchains;
    const exported = [this.output(total(spent) / 4n)];
    const outputs = this.pay(total(spent) - total(spent) / 4n - FEE, 1);
    return this.add(
      {
        type: 'Export',
        ...this.base(spent, outputs),
        destinationChain: cChain?.id ?? PRIMARY_NETWORK,
        exportedOutputs: exported,
      },
      outputs,
    );
  }

  private import(amount = 50n * AVAX): Transaction {
    const [, cChain] = this.genesis.blockchains;
    const input: TransferableInput = {
      txId: this.hash('exported'),
      outputIndex: 0,
      assetId: this.genesis.avaxAssetId,
      amount,
      stakeableLocktime: null,
      signatureIndices: [0],
    };
    const outputs = this.pay(amount - FEE, 1);
    return this.add(
      {
        type: 'Import',
        ...this.base([], outputs),
        sourceChain: cChain?.id ?? PRIMARY_NETWORK,
        importedInputs: [input],
      },
      outputs,
    );
  }

  private createSubnet(): Transaction {
    const spent = this.spend(1);
    const outputs = this.pay(total(spent) - FEE, 1);
    return this.add({ type: 'CreateSubnet', ...this.base(spent, outputs), owner: this.owners() }, outputs);
  }

  private transferOf(spent: Spendable[]): Transaction {
    const outputs = this.pay(total(spent) - FEE, 1);
    return this.add({ type: 'Base', ...this.base(spent, outputs) }, outputs);
  }

  private add(unsigned: UnsignedTx, outputs: readonly TransferableOutput[]): Transaction {
    const transaction = this.sign(unsigned, 'inputs' in unsigned ? unsigned.inputs.length : 0);
    outputs.forEach(({ amount, owners }, outputIndex) => {
      this.outputs.push({ txId: transaction.id, outputIndex, amount, owners });
    });
    return transaction;
  }

  private sign(unsigned: UnsignedTx, inputs: number): Transaction {
    const signature = new Uint8Array(65).fill(this.counter % 256);
    const credentials: Credential[] = Array.from({ length: inputs }, () => ({ signatures: [signature] }));
    return { id: transactionId(packTransaction({ unsigned, credentials })), unsigned, credentials };
  }

  private base(spent: readonly Spendable[], outputs: readonly TransferableOutput[]): BaseFields {
    const inputs = spent.map(({ txId, outputIndex, amount }) => ({
      txId,
      outputIndex,
      assetId: this.genesis.avaxAssetId,
      amount,
      stakeableLocktime: null,
      signatureIndices: [0],
    }));
    return {
      networkId: this.genesis.networkId,
      blockchainId: PRIMARY_NETWORK,
      outputs,
      inputs,
      memo: new Uint8Array(),
    };
  }

  /** Takes outputs that can pay, anywhere from the pool. */
  private spend(count: number): Spendable[] {
    const spent: Spendable[] = [];
    while (spent.length < count) {
      const place = this.random(this.outputs.length);
      const taken = this.outputs[place];
      const last = this.outputs.pop();
      if (taken === undefined || last === undefined) throw new Error('the generator ran out of outputs');
      if (taken !== last) this.outputs[place] = last;
      if (taken.amount > FEE * 10n || this.outputs.length === 0) spent.push(taken);
    }
    return spent;
  }

  private pay(amount: bigint, count: number): TransferableOutput[] {
    const part = amount / BigInt(count);
    return Array.from({ length: count }, (_, i) =>
      this.output(i === 0 ? amount - part * BigInt(count - 1) : part),
    );
  }

  private output(amount: bigint): TransferableOutput {
    return {
      assetId: this.genesis.avaxAssetId,
      amount,
      stakeableLocktime: null,
      owners: this.owners(),
    };
  }

  /** One of some ten thousand wallets; a few share. */
  private owners(): OutputOwners {
    const wallet = (): string =>
      createHash('sha256')
        .update(`wallet ${this.random(10_000)}`)
        .digest('hex')
        .slice(0, 40);
    if (this.random(50) > 0) return { locktime: 0n, threshold: 1, addresses: [wallet()] };
    const addresses = [...new Set([wallet(), wallet(), wallet()])].sort();
    return { locktime: 0n, threshold: Math.min(2, addresses.length), addresses };
  }

  private make(fields: WithoutPlace<BlockFields>): GeneratedBlock {
    this.height += 1;
    const block = { ...fields, parentId: this.parentId, height: BigInt(this.height) } as Omit<Block, 'id'>;
    const bytes = packBlock(block as BlockFields);
    this.parentId = blockId(bytes);
    return { height: this.height, id: this.parentId, bytes };
  }

  private random(below: number): number {
    return Number.parseInt(this.hash('random').slice(0, 12), 16) % below;
  }

  private hash(purpose: string): Id {
    this.counter += 1;
    return createHash('sha256').update(`${this.seed} ${purpose} ${this.counter}`).digest('hex');
  }
}

function total(outputs: readonly Spendable[]): bigint {
  return outputs.reduce((sum, { amount }) => sum + amount, 0n);
}
