import { fromHex } from '../../../src/avalanche/ids/hex.js';
import { idToString } from '../../../src/avalanche/ids/id.js';
import type { Utxo } from '../../../src/avalanche/platformvm/codec/utxo.js';
import {
  packTransaction,
  packUnsignedTransaction,
  parseTransaction,
} from '../../../src/avalanche/platformvm/codec/transaction.js';
import { PRIMARY_NETWORK, type Id, type ShortId } from '../../../src/avalanche/platformvm/ids.js';
import type {
  OutputOwners,
  TransferableInput,
  TransferableOutput,
} from '../../../src/avalanche/platformvm/output.js';
import type {
  BaseFields,
  SubnetAuth,
  Transaction,
  UnsignedTx,
} from '../../../src/avalanche/platformvm/transaction.js';
import { utxoId } from '../../../src/avalanche/platformvm/utxo-id.js';
import type { ChainAlias, NodeApi } from './node-api.js';
import { ownedBy, selectSigners, type SigningKey } from './signing-key.js';
import { addAmounts, chooseInputs, sortOutputs, nowSeconds } from './spend.js';

export interface WalletOptions {
  readonly node: NodeApi;
  readonly networkId: number;
  readonly avaxAssetId: Id;
  /** The first one pays and gets the change; the others sign where an output or a subnet is theirs. */
  readonly keys: readonly [SigningKey, ...SigningKey[]];
}

export interface Order {
  /** nAVAX that nobody gets: the fee, and what is paid into L1 validators' balances. */
  readonly burn: bigint;
  /** Ordinary outputs; the change comes to them. */
  readonly outputs?: readonly TransferableOutput[];
  /** Outputs elsewhere in the transaction that the inputs have to cover: stake, exports. */
  readonly covered?: readonly TransferableOutput[];
  /** UTXOs to spend besides those that the wallet chooses, locked ones too. */
  readonly mustSpend?: readonly Utxo[];
  /** Amounts that come from elsewhere: imports. */
  readonly income?: readonly { assetId: Id; amount: bigint }[];
  /** Whose signature goes last: a subnet's owner, or who may disable an L1 validator. */
  readonly authorizedBy?: Pick<OutputOwners, 'threshold' | 'addresses'>;
  readonly memo?: Uint8Array;
}

/** Parameters of an order's transaction. */
export interface Funded {
  readonly base: BaseFields;
  readonly auth: SubnetAuth;
}

/** Builds, signs and issues P-chain transactions with the coins of a few keys. */
export class Wallet {
  private readonly keys: ReadonlyMap<ShortId, SigningKey>;
  /** Of transactions that are on their way, so that the next ones do not use them too. */
  private readonly spent = new Set<Id>();

  constructor(readonly options: WalletOptions) {
    this.keys = new Map(options.keys.map((key) => [key.address, key]));
  }

  /** An output of AVAX, or of another asset. */
  output(
    amount: bigint,
    owners: OutputOwners,
    { stakeableLocktime = null, assetId = this.options.avaxAssetId }: Partial<TransferableOutput> = {},
  ): TransferableOutput {
    return { assetId, amount, stakeableLocktime, owners };
  }

  /** Issues the transaction and waits until it is accepted. Resolves with its id. */
  async run(order: Order, make: (funded: Funded) => UnsignedTx): Promise<Id> {
    const txId = await this.issue(order, make);
    await this.decided(txId);
    return txId;
  }

  /** `Committed` or `Aborted`. */
  async decided(txId: Id): Promise<string> {
    return this.options.node.waitUntilDecided('P', idToString(fromHex(txId)));
  }

  /** Issues the transaction and does not wait. */
  async issue(order: Order, make: (funded: Funded) => UnsignedTx): Promise<Id> {
    const { bytes, unsigned, spends } = await this.build(order, make);
    try {
      const txId = await this.options.node.issue('P', bytes);
      this.markSpent(spends);
      return txId;
    } catch (cause) {
      throw new Error(`the node refuses ${unsigned.type}: ${String(cause)}`, { cause });
    }
  }

  /** The signed transaction, whose coins are not chosen again; for blocks that are not the node's own. */
  async sign(order: Order, make: (funded: Funded) => UnsignedTx): Promise<Transaction> {
    const { bytes, spends } = await this.build(order, make);
    this.markSpent(spends);
    return parseTransaction(bytes);
  }

  /** Everything that waits for the first key from another chain, and an order that takes it. */
  async collect(
    sourceChain: 'X' | 'C',
    burn: bigint,
  ): Promise<{ order: Order; inputs: TransferableInput[] }> {
    const { networkId, keys, node } = this.options;
    const waiting = await node.getUtxos({ chain: 'P', address: keys[0].toText(networkId), sourceChain });
    const own = waiting.filter(({ output }) => selectSigners(output.owners, this.keys) !== undefined);
    const amounts = addAmounts(own.map(({ assetId, output }) => ({ assetId, amount: output.amount })));
    const income = [...amounts].map(([assetId, amount]) => ({ assetId, amount }));
    const { inputs } = chooseInputs({
      utxos: own,
      amounts,
      keys: this.keys,
      changeOwners: ownedBy([keys[0]]),
      now: nowSeconds(),
    });
    return { order: { burn, income }, inputs };
  }

  /** Takes all that waits for the first key from another chain. */
  async importFrom(sourceChain: 'X' | 'C', sourceChainId: Id, burn: bigint): Promise<Id> {
    const { order, inputs } = await this.collect(sourceChain, burn);
    return this.run(order, ({ base }) => ({
      type: 'Import',
      ...base,
      sourceChain: sourceChainId,
      importedInputs: inputs,
    }));
  }

  /** Outputs that the wallet's first key, or any key, can spend. */
  async utxos(key: SigningKey = this.options.keys[0], sourceChain?: ChainAlias): Promise<Utxo[]> {
    const { networkId, node } = this.options;
    const found = await node.getUtxos({ chain: 'P', address: key.toText(networkId), sourceChain });
    return found.filter((utxo) => !this.spent.has(utxoId(utxo.txId, utxo.outputIndex)));
  }

  private async build(order: Order, make: (funded: Funded) => UnsignedTx) {
    const { networkId } = this.options;
    const spending = await this.choose(order);
    const authorization = this.authorize(order);
    const base = {
      networkId,
      blockchainId: PRIMARY_NETWORK,
      inputs: spending.inputs,
      outputs: sortOutputs([...(order.outputs ?? []), ...spending.change]),
      memo: order.memo ?? new Uint8Array(),
    };
    const unsigned = make({ base, auth: { signatureIndices: authorization.indices } });
    const groups = [...spending.signers, ...this.importSigners(unsigned)];
    if (order.authorizedBy !== undefined) groups.push(authorization.signers);
    return { unsigned, bytes: signAll(unsigned, groups), spends: spending.inputs };
  }

  private markSpent(inputs: readonly TransferableInput[]): void {
    for (const { txId, outputIndex } of inputs) this.spent.add(utxoId(txId, outputIndex));
  }

  private async choose(order: Order) {
    const { avaxAssetId, keys } = this.options;
    const wanted = addAmounts([
      ...(order.outputs ?? []),
      ...(order.covered ?? []),
      { assetId: avaxAssetId, amount: order.burn },
    ]);
    addAmounts(
      (order.income ?? []).map(({ assetId, amount }) => ({ assetId, amount: -amount })),
      wanted,
    );
    const mustSpend = order.mustSpend ?? [];
    const fixed = new Set(mustSpend.map(({ txId, outputIndex }) => utxoId(txId, outputIndex)));
    // Small ones last: a block's worth of transactions at once needs many that each suffice.
    const utxos = (await this.utxos())
      .filter(({ txId, outputIndex }) => !fixed.has(utxoId(txId, outputIndex)))
      .sort((a, b) => Number(b.output.amount - a.output.amount));
    return chooseInputs({
      utxos,
      mustSpend,
      amounts: wanted,
      keys: this.keys,
      changeOwners: ownedBy([keys[0]]),
      now: nowSeconds(),
    });
  }

  private authorize({ authorizedBy }: Order): { indices: number[]; signers: SigningKey[] } {
    if (authorizedBy === undefined) return { indices: [], signers: [] };
    const selected = selectSigners(authorizedBy, this.keys);
    if (selected === undefined) throw new Error('no keys of those who have to authorize');
    return selected;
  }

  /** Imports name owners only by signature index; all that we import is the first key's. */
  private importSigners(unsigned: UnsignedTx): SigningKey[][] {
    if (unsigned.type !== 'Import') return [];
    return unsigned.importedInputs.map(({ signatureIndices }: TransferableInput) =>
      signatureIndices.map(() => this.options.keys[0]),
    );
  }
}

function signAll(unsigned: UnsignedTx, groups: readonly SigningKey[][]): Uint8Array {
  const bytes = packUnsignedTransaction(unsigned);
  const credentials = groups.map((signers) => ({ signatures: signers.map((key) => key.sign(bytes)) }));
  return packTransaction({ unsigned, credentials });
}

/** The cb58 form of our hex ids. */
export function toText(id: Id): string {
  return idToString(fromHex(id));
}
