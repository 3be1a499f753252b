import { z } from 'zod';
import {
  unsignedAtomicTransaction,
  type AtomicExport,
  type AtomicImport,
} from '../../avalanche/evm/atomic-transactions.js';
import {
  bytes,
  constant,
  id,
  list,
  struct,
  text,
  uint32,
  uint8,
  type Field,
} from '../../avalanche/platformvm/codec/field.js';
import {
  credential,
  output,
  transferableInput,
  transferableOutput,
} from '../../avalanche/platformvm/codec/fields.js';
import { packWith } from '../../avalanche/platformvm/codec/parse.js';
import { fromHex } from '../../avalanche/ids/hex.js';
import { idToString } from '../../avalanche/ids/id.js';
import type { Id } from '../../avalanche/platformvm/ids.js';
import type { Output, TransferableInput, TransferableOutput } from '../../avalanche/platformvm/output.js';
import type { BaseFields, Credential } from '../../avalanche/platformvm/transaction.js';
import { PRIMARY_NETWORK } from '../../avalanche/platformvm/ids.js';
import type { NodeApi } from './node-api.js';
import { ownedBy, type SigningKey } from './signing-key.js';
import { addAmounts, chooseInputs, sortOutputs } from './spend.js';

/** EVM address of the funded key. */
const FUNDED_EVM_ADDRESS = '8db97c7cece249c2b98bdc0226cc4c2a57bf52fc';

/** Far above what either chain asks for; both accept more than they need. nAVAX. */
const X_FEE = 1_000_000n;
export const C_FEE = 100_000_000n;

export interface OtherChainOptions {
  readonly node: NodeApi;
  readonly networkId: number;
  readonly avaxAssetId: Id;
  /** Of the chain itself. */
  readonly blockchainId: Id;
  readonly key: SigningKey;
}

/** The few transactions of the X-chain that have to do with the P-chain (avalanchego v1.14.2 vms/avm/txs). */
const base = {
  networkId: uint32,
  blockchainId: id,
  outputs: list(transferableOutput),
  inputs: list(transferableInput),
  memo: bytes,
};

interface XExport extends BaseFields {
  readonly typeId: 4;
  readonly destinationChain: Id;
  readonly exportedOutputs: readonly TransferableOutput[];
}

interface XImport extends BaseFields {
  readonly typeId: 3;
  readonly sourceChain: Id;
  readonly importedInputs: readonly TransferableInput[];
}

interface XCreateAsset extends BaseFields {
  readonly typeId: 1;
  readonly name: string;
  readonly symbol: string;
  readonly denomination: number;
  readonly initialStates: readonly { readonly fxIndex: number; readonly outputs: readonly Output[] }[];
}

const xExport = struct<XExport>({
  typeId: typeIdOf(4),
  ...base,
  destinationChain: id,
  exportedOutputs: list(transferableOutput),
});

const xImport = struct<XImport>({
  typeId: typeIdOf(3),
  ...base,
  sourceChain: id,
  importedInputs: list(transferableInput),
});

const xCreateAsset = struct<XCreateAsset>({
  typeId: typeIdOf(1),
  ...base,
  name: text,
  symbol: text,
  denomination: uint8,
  initialStates: list(struct({ fxIndex: uint32, outputs: list(output) })),
});

function typeIdOf<T extends number>(typeId: T): Field<T> {
  return { ...constant(typeId), minBytes: 4, pack: (packer) => void packer.packInt(typeId) };
}

/** What the transaction is, and one signature of the key for every input. */
function signed<T>(field: Field<T>, unsigned: T, key: SigningKey, inputCount: number): Uint8Array {
  const signature = key.sign(packWith(field, unsigned));
  const credentials: Credential[] = Array.from({ length: inputCount }, () => ({ signatures: [signature] }));
  return packWith(
    struct<{ unsigned: T; credentials: readonly Credential[] }>({
      unsigned: field,
      credentials: list(credential),
    }),
    { unsigned, credentials },
  );
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

  /** Everything that waits from the P-chain for the key. */
  protected async waiting(
    chain: 'X' | 'C',
  ): Promise<{ inputs: TransferableInput[]; amounts: Map<Id, bigint> }> {
    const { node, key, networkId } = this.options;
    const utxos = await node.getUtxos({ chain, address: key.toText(networkId, chain), sourceChain: 'P' });
    const own = utxos.filter(({ output: { owners } }) => owners.threshold === 1 && owners.locktime === 0n);
    const amounts = addAmounts(own.map(({ assetId, output: { amount } }) => ({ assetId, amount })));
    const { inputs } = chooseInputs({
      ...{ utxos: own, amounts, keys: this.keys, changeOwners: ownedBy([key]), now: nowSeconds() },
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
    const unsigned: XExport = {
      typeId: 4,
      ...funded,
      destinationChain: PRIMARY_NETWORK,
      exportedOutputs: sortOutputs(exportedOutputs),
    };
    return this.issue('X', signed(xExport, unsigned, this.options.key, unsigned.inputs.length));
  }

  /** Takes all that waits. */
  async importFromP(): Promise<Id> {
    const { key, avaxAssetId } = this.options;
    const { inputs, amounts } = await this.waiting('X');
    addAmounts([{ assetId: avaxAssetId, amount: -X_FEE }], amounts);
    const outputs = [...amounts].map(([assetId, amount]) => {
      return { assetId, amount, stakeableLocktime: null, owners: ownedBy([key]) };
    });
    const unsigned: XImport = {
      typeId: 3,
      ...this.header,
      outputs: sortOutputs(outputs),
      inputs: [],
      memo: new Uint8Array(),
      sourceChain: PRIMARY_NETWORK,
      importedInputs: inputs,
    };
    return this.issue('X', signed(xImport, unsigned, key, inputs.length));
  }

  /** A new fungible asset, all of it the key's. The asset's id is the transaction's. */
  async createAsset(asset: { name: string; symbol: string; amount: bigint }): Promise<Id> {
    const { key } = this.options;
    const initial = { amount: asset.amount, stakeableLocktime: null, owners: ownedBy([key]) };
    const unsigned: XCreateAsset = {
      typeId: 1,
      ...(await this.fund([])),
      ...{ name: asset.name, symbol: asset.symbol, denomination: 9 },
      initialStates: [{ fxIndex: 0, outputs: [initial] }],
    };
    return this.issue('X', signed(xCreateAsset, unsigned, key, unsigned.inputs.length));
  }

  private async fund(covered: readonly TransferableOutput[]): Promise<BaseFields> {
    const { node, key, networkId, avaxAssetId } = this.options;
    const amounts = addAmounts([...covered, { assetId: avaxAssetId, amount: X_FEE }]);
    const { inputs, change } = chooseInputs({
      utxos: await node.getUtxos({ chain: 'X', address: key.toText(networkId, 'X') }),
      ...{ amounts, keys: this.keys, changeOwners: ownedBy([key]), now: nowSeconds() },
    });
    return { ...this.header, outputs: sortOutputs(change), inputs, memo: new Uint8Array() };
  }
}

export class CChain extends OtherChain {
  async exportToP(exportedOutputs: readonly TransferableOutput[]): Promise<Id> {
    const { key, avaxAssetId } = this.options;
    const amount = exportedOutputs.reduce((sum, output) => sum + output.amount, C_FEE);
    const nonce = await this.nextNonce();
    const unsigned: AtomicExport = {
      type: 'Export',
      ...this.header,
      destinationChain: PRIMARY_NETWORK,
      inputs: [{ address: FUNDED_EVM_ADDRESS, amount, assetId: avaxAssetId, nonce }],
      exportedOutputs: sortOutputs(exportedOutputs),
    };
    return this.issue('C', signed(unsignedAtomicTransaction, unsigned, key, 1));
  }

  /** Takes all that waits. */
  async importFromP(): Promise<Id> {
    const { key, avaxAssetId } = this.options;
    const { inputs, amounts } = await this.waiting('C');
    const amount = (amounts.get(avaxAssetId) ?? 0n) - C_FEE;
    const unsigned: AtomicImport = {
      type: 'Import',
      ...this.header,
      sourceChain: PRIMARY_NETWORK,
      importedInputs: inputs,
      outputs: [{ address: FUNDED_EVM_ADDRESS, amount, assetId: avaxAssetId }],
    };
    return this.issue('C', signed(unsignedAtomicTransaction, unsigned, key, inputs.length));
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

function nowSeconds(): bigint {
  return BigInt(Math.floor(Date.now() / 1000));
}
