import type { Id } from '../../platformvm/ids.js';
import type { TransferableInput, TransferableOutput } from '../../platformvm/output.js';
import { utxoId } from '../../platformvm/utxo-id.js';
import { AvmError } from '../avm.error.js';
import type { AvmBlock } from '../codec/block.js';
import type { AvmOutput } from '../output.js';
import type { AssetOperation, AvmTransaction, AvmUnsignedTx, AvmTxOf, UtxoRef } from '../transaction.js';
import {
  type AvmChanges,
  type AvmMoment,
  type AvmTransactionRecord,
  type ConsumedAvmUtxo,
  type CreatedAsset,
  type CreatedAvmUtxo,
} from './changes.js';

export interface AvmChainIdentity {
  readonly networkId: number;
  readonly blockchainId: Id;
  readonly avaxAssetId: Id;
}

/**
 * The effects of X-chain transactions (avalanchego v1.15.0 vms/avm/txs/executor/executor.go), which follow entirely from their bytes.
 * Whether the outputs that they spend exist, as the inputs claim, is checked by the code that knows the UTXOs.
 */
export class AvmExecution {
  private created: CreatedAvmUtxo[] = [];
  private consumed: ConsumedAvmUtxo[] = [];
  private assets: CreatedAsset[] = [];
  private transactions: AvmTransactionRecord[] = [];

  constructor(private readonly chain: AvmChainIdentity) {}

  /** The whole block or nothing of it: throws as `apply`. */
  applyBlock({ height, time, transactions }: AvmBlock): void {
    const moment = { blockHeight: height, blockTime: Number(time) };
    const records = transactions.map((transaction) => this.describe(transaction, moment));
    for (const { id, unsigned } of transactions) this.execute(id, unsigned, moment);
    this.transactions.push(...records);
  }

  /** Throws AvmError STATE_MISMATCH for one of another chain, or that pays out more than it takes in. */
  apply(transaction: AvmTransaction, moment: AvmMoment): void {
    const record = this.describe(transaction, moment);
    this.execute(transaction.id, transaction.unsigned, moment);
    this.transactions.push(record);
  }

  /** An asset that is there from the start; no transaction of any block made it, and it burned nothing. */
  applyGenesis(id: Id, asset: AvmTxOf<'CreateAsset'>, moment: AvmMoment): void {
    this.execute(id, asset, moment);
  }

  /** Changes since the last call. */
  takeChanges(): AvmChanges {
    const { created, consumed, assets, transactions } = this;
    [this.created, this.consumed, this.assets, this.transactions] = [[], [], [], []];
    return { createdUtxos: created, consumedUtxos: consumed, assets, transactions };
  }

  private describe({ id, unsigned }: AvmTransaction, moment: AvmMoment): AvmTransactionRecord {
    const { networkId, blockchainId } = this.chain;
    if (unsigned.networkId !== networkId || unsigned.blockchainId !== blockchainId) {
      const where = `blockchain ${unsigned.blockchainId} of network ${unsigned.networkId}`;
      throw new AvmError('STATE_MISMATCH', `transaction ${id} is for ${where}`);
    }
    return { txId: id, type: unsigned.type, ...this.avaxOf(id, unsigned), ...moment };
  }

  private execute(txId: Id, unsigned: AvmUnsignedTx, moment: AvmMoment): void {
    const { blockchainId } = this.chain;
    this.spend(txId, unsigned.inputs, blockchainId, moment);
    const spendable = new OutputsOf(this.created, txId, blockchainId, moment);
    for (const output of unsigned.outputs) spendable.add(output.assetId, toOutput(output));
    switch (unsigned.type) {
      case 'Base':
        return;
      case 'CreateAsset':
        for (const output of initialOutputs(unsigned)) spendable.add(txId, output);
        this.assets.push(toAsset(txId, unsigned));
        return;
      case 'Operation':
        for (const operation of unsigned.operations) this.operate(txId, operation, spendable, moment);
        return;
      case 'Import':
        this.spend(txId, unsigned.importedInputs, unsigned.sourceChain, moment);
        return;
      case 'Export':
        spendable.leaveFor(unsigned.destinationChain);
        for (const output of unsigned.exportedOutputs) spendable.add(output.assetId, toOutput(output));
        return;
    }
  }

  private operate(
    txId: Id,
    { assetId, inputs, operation }: AssetOperation,
    outputs: OutputsOf,
    moment: AvmMoment,
  ): void {
    for (const input of inputs) {
      this.consume(txId, { ...input, assetId, amount: null }, this.chain.blockchainId, moment);
    }
    switch (operation.type) {
      case 'Mint':
        outputs.add(assetId, operation.mintOutput);
        outputs.add(assetId, operation.transferOutput);
        return;
      case 'NftMint': {
        const { groupId, payload } = operation;
        for (const owners of operation.owners) {
          outputs.add(assetId, { type: 'NftTransfer', groupId, payload, owners });
        }
        return;
      }
      case 'NftTransfer':
        outputs.add(assetId, operation.output);
        return;
      case 'PropertyMint':
        outputs.add(assetId, operation.mintOutput);
        outputs.add(assetId, operation.ownedOutput);
        return;
      case 'PropertyBurn':
        return;
    }
  }

  private spend(txId: Id, inputs: readonly TransferableInput[], from: Id, moment: AvmMoment): void {
    for (const input of inputs) this.consume(txId, input, from, moment);
  }

  private consume(
    consumingTxId: Id,
    { txId, outputIndex, assetId, amount }: UtxoRef & { assetId: Id; amount: bigint | null },
    createdOnChainId: Id,
    { blockHeight, blockTime }: AvmMoment,
  ): void {
    this.consumed.push({
      utxoId: utxoId(txId, outputIndex),
      txId,
      outputIndex,
      assetId,
      amount,
      createdOnChainId,
      consumingTxId,
      blockHeight,
      blockTime,
    });
  }

  private avaxOf(txId: Id, unsigned: AvmUnsignedTx): Pick<AvmTransactionRecord, 'avaxSpent' | 'burned'> {
    const imported = unsigned.type === 'Import' ? this.sumOf(unsigned.importedInputs) : 0n;
    const exported = unsigned.type === 'Export' ? this.sumOf(unsigned.exportedOutputs) : 0n;
    const avaxSpent = this.sumOf(unsigned.inputs) + imported;
    const burned = avaxSpent - this.sumOf(unsigned.outputs) - exported;
    if (burned >= 0n) return { avaxSpent, burned };
    throw new AvmError('STATE_MISMATCH', `transaction ${txId} makes ${-burned} nAVAX out of nothing`);
  }

  private sumOf(parts: readonly { readonly assetId: Id; readonly amount: bigint }[]): bigint {
    const { avaxAssetId } = this.chain;
    return parts.reduce((sum, { assetId, amount }) => (assetId === avaxAssetId ? sum + amount : sum), 0n);
  }
}

/** The outputs of one transaction, numbered through. */
class OutputsOf {
  private next = 0;

  constructor(
    private readonly all: CreatedAvmUtxo[],
    private readonly txId: Id,
    private spendableOnChainId: Id,
    private readonly moment: AvmMoment,
  ) {}

  /** Those that follow can be spent on another chain. */
  leaveFor(chainId: Id): void {
    this.spendableOnChainId = chainId;
  }

  add(assetId: Id, output: AvmOutput): void {
    const { txId, spendableOnChainId } = this;
    const { blockHeight, blockTime } = this.moment;
    const outputIndex = this.next++;
    this.all.push({
      utxoId: utxoId(txId, outputIndex),
      txId,
      outputIndex,
      assetId,
      output,
      spendableOnChainId,
      blockHeight,
      blockTime,
    });
  }
}

function toOutput({ amount, owners }: TransferableOutput): AvmOutput {
  return { type: 'Transfer', amount, owners };
}

function initialOutputs({ initialStates }: AvmTxOf<'CreateAsset'>): readonly AvmOutput[] {
  return initialStates.flatMap(({ outputs }) => outputs);
}

function toAsset(assetId: Id, { name, symbol, denomination }: AvmTxOf<'CreateAsset'>): CreatedAsset {
  return { assetId, name, symbol, denomination };
}
