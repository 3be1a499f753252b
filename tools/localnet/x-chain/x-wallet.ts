import {
  packAvmTransaction,
  packUnsignedAvmTransaction,
} from '../../../src/avalanche/avm/codec/transaction.js';
import { avmOutput, parseAvmUtxo } from '../../../src/avalanche/avm/codec/output.js';
import type { AvmOutput, AvmUtxo } from '../../../src/avalanche/avm/output.js';
import type {
  AvmCredential,
  AvmOperation,
  AvmUnsignedTx,
  AvmTxOf,
  InitialState,
} from '../../../src/avalanche/avm/transaction.js';
import { fromHex, toHex } from '../../../src/avalanche/ids/hex.js';
import { idToString } from '../../../src/avalanche/ids/id.js';
import { packWith } from '../../../src/avalanche/platformvm/codec/bounded-blob.js';
import type { Utxo } from '../../../src/avalanche/platformvm/codec/utxo.js';
import type { Id, ShortId } from '../../../src/avalanche/platformvm/ids.js';
import type { OutputOwners, TransferableOutput } from '../../../src/avalanche/platformvm/output.js';
import type { BaseFields } from '../../../src/avalanche/platformvm/transaction.js';
import type { ChainAlias, NodeApi } from '../scenario/node-api.js';
import { ownedBy, selectSigners, type SigningKey } from '../scenario/signing-key.js';
import { addAmounts, chooseInputs, compareText, sortOutputs } from '../scenario/spend.js';

/** Far above what the chain asks for; it accepts more than it needs. nAVAX. */
const FEE = 10_000_000n;

export interface XWalletOptions {
  readonly node: NodeApi;
  readonly networkId: number;
  readonly avaxAssetId: Id;
  /** Of the X-chain. */
  readonly blockchainId: Id;
  /** The first one pays and gets the change; the others sign where an output is theirs. */
  readonly keys: readonly [SigningKey, ...SigningKey[]];
}

export interface XOrder {
  readonly outputs?: readonly TransferableOutput[];
  /** Outputs elsewhere in the transaction that the inputs have to cover: exports. */
  readonly covered?: readonly TransferableOutput[];
  /** UTXOs to spend besides those that the wallet chooses. */
  readonly mustSpend?: readonly Utxo[];
  readonly memo?: Uint8Array;
}

type Signers = readonly SigningKey[];

/** Outputs of an asset that an operation works on, and the result. */
export interface Work {
  readonly utxo: AvmUtxo;
  readonly make: (signatureIndices: readonly number[]) => AvmOperation;
}

/** Builds, signs and issues X-chain transactions with the coins of a few keys, one after the other. */
export class XWallet {
  private readonly keys: ReadonlyMap<ShortId, SigningKey>;

  constructor(private readonly options: XWalletOptions) {
    this.keys = new Map(options.keys.map((key) => [key.address, key]));
  }

  output(amount: bigint, owners: OutputOwners, assetId = this.options.avaxAssetId): TransferableOutput {
    return { assetId, amount, stakeableLocktime: null, owners };
  }

  async send(order: XOrder): Promise<Id> {
    const { base, signers } = await this.fund(order);
    return this.issue({ type: 'Base', ...base }, transfers(signers));
  }

  async createAsset(
    asset: Pick<AvmTxOf<'CreateAsset'>, 'name' | 'symbol' | 'denomination'>,
    states: readonly InitialState[],
  ): Promise<Id> {
    const { base, signers } = await this.fund({});
    const initialStates = states.map(({ fxIndex, outputs }) => ({ fxIndex, outputs: sortStates(outputs) }));
    return this.issue({ type: 'CreateAsset', ...base, ...asset, initialStates }, transfers(signers));
  }

  async operate({ utxo, make }: Work): Promise<Id> {
    const { base, signers } = await this.fund({});
    const { txId, outputIndex, assetId, output } = utxo;
    const selected = selectSigners(output.owners, this.keys);
    if (selected === undefined) throw new Error(`no keys for ${txId}:${outputIndex}`);
    const operation = make(selected.indices);
    return this.issue(
      { type: 'Operation', ...base, operations: [{ assetId, inputs: [{ txId, outputIndex }], operation }] },
      [...transfers(signers), { type: credentialOf(operation), signers: selected.signers }],
    );
  }

  async exportTo(destinationChain: Id, exportedOutputs: readonly TransferableOutput[]): Promise<Id> {
    const { base, signers } = await this.fund({ covered: exportedOutputs });
    return this.issue(
      { type: 'Export', ...base, destinationChain, exportedOutputs: sortOutputs(exportedOutputs) },
      transfers(signers),
    );
  }

  /** Takes all that waits for the first key. */
  async importFrom(alias: ChainAlias, sourceChain: Id): Promise<Id> {
    const { node, networkId, keys, avaxAssetId } = this.options;
    const [key] = keys;
    const waiting = await node.getUtxos({
      chain: 'X',
      address: key.toText(networkId, 'X'),
      sourceChain: alias,
    });
    const own = waiting.filter(({ output }) => selectSigners(output.owners, this.keys) !== undefined);
    const amounts = addAmounts(own.map(({ assetId, output: { amount } }) => ({ assetId, amount })));
    const { inputs, signers } = this.choose(own, amounts);
    addAmounts([{ assetId: avaxAssetId, amount: -FEE }], amounts);
    const outputs = [...amounts].map(([assetId, amount]) => this.output(amount, ownedBy([key]), assetId));
    const base = { ...this.header, outputs: sortOutputs(outputs), inputs: [], memo: new Uint8Array() };
    return this.issue({ type: 'Import', ...base, sourceChain, importedInputs: inputs }, transfers(signers));
  }

  /** Outputs of the key, alone or with others, that can be spent on the X-chain. */
  async utxosOf(key: SigningKey): Promise<AvmUtxo[]> {
    const { node, networkId } = this.options;
    const found = await node.getUtxoBytes({ chain: 'X', address: key.toText(networkId, 'X') });
    return found.map((hex) => parseAvmUtxo(fromHex(hex)));
  }

  private get header() {
    const { networkId, blockchainId } = this.options;
    return { networkId, blockchainId };
  }

  private async fund(order: XOrder): Promise<{ base: BaseFields; signers: readonly Signers[] }> {
    const { outputs = [], covered = [], mustSpend, memo = new Uint8Array() } = order;
    const { node, networkId, keys, avaxAssetId } = this.options;
    const amounts = addAmounts([...outputs, ...covered, { assetId: avaxAssetId, amount: FEE }]);
    const utxos = await node.getUtxos({ chain: 'X', address: keys[0].toText(networkId, 'X') });
    const own = utxos.filter(({ output }) => output.owners.addresses.length === 1);
    const { inputs, signers, change } = this.choose(own, amounts, mustSpend);
    const base = { ...this.header, outputs: sortOutputs([...outputs, ...change]), inputs, memo };
    return { base, signers };
  }

  private choose(utxos: readonly Utxo[], amounts: ReadonlyMap<Id, bigint>, mustSpend?: readonly Utxo[]) {
    const changeOwners = ownedBy([this.options.keys[0]]);
    const now = BigInt(Math.floor(Date.now() / 1000));
    return chooseInputs({ utxos, mustSpend, amounts, keys: this.keys, changeOwners, now });
  }

  private async issue(
    unsigned: AvmUnsignedTx,
    inputs: readonly { type: AvmCredential['type']; signers: Signers }[],
  ): Promise<Id> {
    const { node } = this.options;
    const bytes = packUnsignedAvmTransaction(unsigned);
    const credentials = inputs.map(({ type, signers }): AvmCredential => {
      return { type, signatures: signers.map((key) => key.sign(bytes)) };
    });
    const txId = await node.issue('X', packAvmTransaction({ unsigned, credentials }));
    await node.waitUntilDecided('X', idToString(fromHex(txId)));
    return txId;
  }
}

function transfers(signers: readonly Signers[]): { type: AvmCredential['type']; signers: Signers }[] {
  return signers.map((each) => ({ type: 'Transfer', signers: each }));
}

function credentialOf({ type }: AvmOperation): AvmCredential['type'] {
  switch (type) {
    case 'Mint':
      return 'Transfer';
    case 'NftMint':
    case 'NftTransfer':
      return 'Nft';
    case 'PropertyMint':
    case 'PropertyBurn':
      return 'Property';
  }
}

/** Ascending by packed output, as the codec demands. */
function sortStates(outputs: readonly AvmOutput[]): AvmOutput[] {
  const key = (output: AvmOutput): string => toHex(packWith(avmOutput, output));
  return [...outputs].sort((a, b) => compareText(key(a), key(b)));
}
