import { z } from 'zod';
import {
  unsignedAtomicTransaction,
  type AtomicExport,
  type AtomicImport,
  type SignedAtomicTransaction,
} from '../../../src/avalanche/evm/blocks/atomic-transactions.js';
import {
  packAvmTransaction,
  packUnsignedAvmTransaction,
} from '../../../src/avalanche/avm/codec/transaction.js';
import type { AvmTxOf, AvmUnsignedTx } from '../../../src/avalanche/avm/transaction.js';
import { list, struct } from '../../../src/avalanche/platformvm/codec/field.js';
import { credential } from '../../../src/avalanche/platformvm/codec/fields.js';
import { packWith } from '../../../src/avalanche/platformvm/codec/bounded-blob.js';
import { fromHex } from '../../../src/avalanche/ids/hex.js';
import { idToString } from '../../../src/avalanche/ids/id.js';
import type { Id } from '../../../src/avalanche/platformvm/ids.js';
import type { TransferableInput, TransferableOutput } from '../../../src/avalanche/platformvm/output.js';
import type { BaseFields, Credential } from '../../../src/avalanche/platformvm/transaction.js';
import { PRIMARY_NETWORK } from '../../../src/avalanche/platformvm/ids.js';
import type { ChainAlias, NodeApi } from './node-api.js';
import { ownedBy, type SigningKey } from './signing-key.js';
import { addAmounts, chooseInputs, sortOutputs, nowSeconds } from './spend.js';

/** EVM address of the funded key. */
const FUNDED_EVM_ADDRESS = '8db97c7cece249c2b98bdc0226cc4c2a57bf52fc';

/** Far above what either chain asks for; both accept more than they need. nAVAX. */
const X_FEE = 1_000_000n;
export const C_FEE = 100_000_000n;

interface OtherChainOptions {
  readonly node: NodeApi;
  readonly networkId: number;
  readonly avaxAssetId: Id;
  /** Of the chain itself. */
  readonly blockchainId: Id;
  readonly key: SigningKey;
}

/** The transaction, and one signature of the key for every input. */
function signedAtomic(
  unsigned: AtomicExport | AtomicImport,
  key: SigningKey,
  inputCount: number,
): Uint8Array {
  const signature = key.sign(packWith(unsignedAtomicTransaction, unsigned));
  const credentials: Credential[] = Array.from({ length: inputCount }, () => ({ signatures: [signature] }));
  return packWith(
    struct<SignedAtomicTransaction>({
      unsigned: unsignedAtomicTransaction,
      credentials: list(credential),
    }),
    { unsigned, credentials },
  );
}

/** The same on the X-chain. */
function signedOnX(unsigned: AvmUnsignedTx, key: SigningKey, inputCount: number): Uint8Array {
  const signature = key.sign(packUnsignedAvmTransaction(unsigned));
  const credentials = Array.from({ length: inputCount }, () => ({
    type: 'Transfer' as const,
    signatures: [signature],
  }));
  return packAvmTransaction({ unsigned, credentials });
}

abstract class OtherChain {
  constructor(protected readonly options: OtherChainOptions) {}

  protected get header() {
    const { networkId, blockchainId } = this.options;
    return { networkId, blockchainId };
  }

  protected get keys() {
    return new Map([[this.options.key.address, this.options.key]]);
  }

  /** Everything that waits from another chain for the key. */
  protected async waiting(
    chain: 'X' | 'C',
    sourceChain: ChainAlias,
  ): Promise<{ inputs: TransferableInput[]; amounts: Map<Id, bigint> }> {
    const { node, key, networkId } = this.options;
    const utxos = await node.getUtxos({ chain, address: key.toText(networkId, chain), sourceChain });
    const own = utxos.filter(({ output: { owners } }) => owners.threshold === 1 && owners.locktime === 0n);
    const amounts = addAmounts(own.map(({ assetId, output: { amount } }) => ({ assetId, amount })));
    const { inputs } = chooseInputs({
      utxos: own,
      amounts,
      keys: this.keys,
      changeOwners: ownedBy([key]),
      now: nowSeconds(),
    });
    return { inputs, amounts };
  }

  protected async issue(chain: 'X' | 'C', tx: Uint8Array): Promise<Id> {
    const { node } = this.options;
    const txId = await node.issue(chain, tx);
    await node.waitUntilDecided(chain, idToString(fromHex(txId)));
    return txId;
  }
}

export class XChain extends OtherChain {
  async exportToP(exportedOutputs: readonly TransferableOutput[]): Promise<Id> {
    const funded = await this.fund(exportedOutputs);
    const unsigned: AvmTxOf<'Export'> = {
      type: 'Export',
      ...funded,
      destinationChain: PRIMARY_NETWORK,
      exportedOutputs: sortOutputs(exportedOutputs),
    };
    return this.issue('X', signedOnX(unsigned, this.options.key, unsigned.inputs.length));
  }

  /** Takes all that waits. */
  async importFromP(): Promise<Id> {
    const { key, avaxAssetId } = this.options;
    const { inputs, amounts } = await this.waiting('X', 'P');
    addAmounts([{ assetId: avaxAssetId, amount: -X_FEE }], amounts);
    const outputs = [...amounts].map(([assetId, amount]) => {
      return { assetId, amount, stakeableLocktime: null, owners: ownedBy([key]) };
    });
    const unsigned: AvmTxOf<'Import'> = {
      type: 'Import',
      ...this.header,
      outputs: sortOutputs(outputs),
      inputs: [],
      memo: new Uint8Array(),
      sourceChain: PRIMARY_NETWORK,
      importedInputs: inputs,
    };
    return this.issue('X', signedOnX(unsigned, key, inputs.length));
  }

  private async fund(covered: readonly TransferableOutput[]): Promise<BaseFields> {
    const { node, key, networkId, avaxAssetId } = this.options;
    const amounts = addAmounts([...covered, { assetId: avaxAssetId, amount: X_FEE }]);
    const { inputs, change } = chooseInputs({
      utxos: await node.getUtxos({ chain: 'X', address: key.toText(networkId, 'X') }),
      amounts,
      keys: this.keys,
      changeOwners: ownedBy([key]),
      now: nowSeconds(),
    });
    return { ...this.header, outputs: sortOutputs(change), inputs, memo: new Uint8Array() };
  }
}

export class CChain extends OtherChain {
  exportToP(exportedOutputs: readonly TransferableOutput[]): Promise<Id> {
    return this.exportTo(PRIMARY_NETWORK, exportedOutputs);
  }

  /** Takes all that waits. */
  importFromP(): Promise<Id> {
    return this.importFrom('P', PRIMARY_NETWORK);
  }

  async exportTo(destinationChain: Id, exportedOutputs: readonly TransferableOutput[]): Promise<Id> {
    const { key, avaxAssetId } = this.options;
    const amount = exportedOutputs.reduce((sum, output) => sum + output.amount, C_FEE);
    const nonce = await this.nextNonce();
    const unsigned: AtomicExport = {
      type: 'Export',
      ...this.header,
      destinationChain,
      inputs: [{ address: FUNDED_EVM_ADDRESS, amount, assetId: avaxAssetId, nonce }],
      exportedOutputs: sortOutputs(exportedOutputs),
    };
    return this.issue('C', signedAtomic(unsigned, key, 1));
  }

  /** Takes all that waits. */
  async importFrom(alias: ChainAlias, sourceChain: Id): Promise<Id> {
    const { key, avaxAssetId } = this.options;
    const { inputs, amounts } = await this.waiting('C', alias);
    const amount = (amounts.get(avaxAssetId) ?? 0n) - C_FEE;
    const unsigned: AtomicImport = {
      type: 'Import',
      ...this.header,
      sourceChain,
      importedInputs: inputs,
      outputs: [{ address: FUNDED_EVM_ADDRESS, amount, assetId: avaxAssetId }],
    };
    return this.issue('C', signedAtomic(unsigned, key, inputs.length));
  }

  private async nextNonce(): Promise<bigint> {
    return BigInt(
      await this.options.node.rpc.call({
        path: '/ext/bc/C/rpc',
        method: 'eth_getTransactionCount',
        params: [`0x${FUNDED_EVM_ADDRESS}`, 'latest'],
        schema: z.string(),
      }),
    );
  }
}
