import { createHash } from 'node:crypto';
import { avmBlock, parseAvmBlock } from '../../src/avalanche/avm/codec/block.js';
import { packAvmTransaction } from '../../src/avalanche/avm/codec/transaction.js';
import { type AvmGenesis, loadAvmGenesis } from '../../src/avalanche/avm/genesis/genesis.js';
import type { AvmCredential, AvmTransaction, AvmUnsignedTx } from '../../src/avalanche/avm/transaction.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, idToString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { packWith } from '../../src/avalanche/platformvm/codec/bounded-blob.js';
import { transactionId } from '../../src/avalanche/platformvm/codec/transaction.js';
import { type Id, PRIMARY_NETWORK, type ShortId } from '../../src/avalanche/platformvm/ids.js';
import type { OutputOwners, TransferableInput } from '../../src/avalanche/platformvm/output.js';
import type { XChainContent } from '../recording/x-chain-recording.js';

const KNOWN_X_CHAINS = {
  1: '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM',
  5: '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm',
  12345: '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed',
} as const;

const FEE = 1_000_000n;
/** Pays for many transactions, split again and again. */
const SMALLEST_COIN = 10_000n * FEE;
const FIRST_TIME = 1_700_000_000n;
/** Outputs are split while there are fewer, and joined above. */
const WANTED_OUTPUTS = 5_000;

export interface GeneratedXBlock {
  readonly height: number;
  readonly id: Id;
  readonly bytes: Uint8Array;
  readonly transactions: number;
}

interface Coin {
  readonly txId: Id;
  readonly outputIndex: number;
  readonly amount: bigint;
}

export function xGenesis(networkId: keyof typeof KNOWN_X_CHAINS = 12345): Promise<AvmGenesis> {
  return loadAvmGenesis({ networkId, blockchainId: toHex(idFromString(KNOWN_X_CHAINS[networkId])) });
}

/** Blocks from 0 on as a sandbox serves them, and transactions of before blocks for nodes that have an index of them. */
export function xChainOf(
  { identity }: AvmGenesis,
  blocks: readonly Pick<GeneratedXBlock, 'bytes'>[],
  before: readonly AvmTransaction[] | null = null,
): XChainContent {
  return {
    networkId: identity.networkId,
    blockchainIds: { X: idToString(fromHex(identity.blockchainId)), C: PRIMARY_NETWORK_ID },
    avaxAssetId: idToString(fromHex(identity.avaxAssetId)),
    blocks: blocks.map(({ bytes }) => toHex(bytes)),
    transactionsBefore: before && before.map((transaction) => toHex(packAvmTransaction(transaction))),
    utxos: {},
    atomicUtxos: {},
    exportedUtxos: {},
    assets: {},
  };
}

/** An X-chain whose blocks are consistent and meaningless, the same for the same seed; signatures are not real. */
export class XChainGenerator {
  private readonly coins: Coin[];
  /** Rights to make more of an asset, whose ids are those of the transactions. */
  private readonly mints: { assetId: Id; txId: Id; outputIndex: number }[] = [];
  private readonly signature: Uint8Array;
  private parentId: Id = PRIMARY_NETWORK;
  private height = 0;
  private made = 0;

  constructor(
    private readonly genesis: AvmGenesis,
    private readonly seed = 'generated',
  ) {
    this.signature = Uint8Array.from([...createHash('sha512').update(seed).digest(), 0]);
    const [avax] = genesis.assets;
    this.coins = (avax?.transaction.initialStates ?? []).flatMap(({ outputs }) =>
      outputs.flatMap((output, outputIndex) =>
        output.type === 'Transfer' && output.amount > SMALLEST_COIN
          ? [{ txId: genesis.identity.avaxAssetId, outputIndex, amount: output.amount }]
          : [],
      ),
    );
  }

  /** Block 0 has no transaction, as on every network. */
  take(blocks: number, transactionsPerBlock = 2): GeneratedXBlock[] {
    return Array.from({ length: blocks }, () => this.block(this.height === 0 ? 0 : transactionsPerBlock));
  }

  /** Of the time before blocks. */
  takeTransactions(count: number): AvmTransaction[] {
    return Array.from({ length: count }, () => this.transaction());
  }

  private block(count: number): GeneratedXBlock {
    const bytes = packWith(avmBlock, {
      parentId: this.parentId,
      height: BigInt(this.height),
      time: FIRST_TIME + BigInt(this.height) * 2n,
      merkleRoot: PRIMARY_NETWORK,
      transactions: this.takeTransactions(count),
    });
    const { id } = parseAvmBlock(bytes);
    this.parentId = id;
    return { height: this.height++, id, bytes, transactions: count };
  }

  private transaction(): AvmTransaction {
    const number = this.made++;
    const unsigned = this.unsigned(number);
    const inputs =
      unsigned.inputs.length + ('importedInputs' in unsigned ? unsigned.importedInputs.length : 0);
    const credentials = Array.from({ length: inputs }, (): AvmCredential => {
      return { type: 'Transfer', signatures: [this.signature] };
    });
    const id = transactionId(packAvmTransaction({ unsigned, credentials }));
    this.remember(id, unsigned);
    return { id, unsigned, credentials };
  }

  private unsigned(number: number): AvmUnsignedTx {
    const { networkId, blockchainId, avaxAssetId } = this.genesis.identity;
    const inputs = this.spend();
    const sum = inputs.reduce((total, { amount }) => total + amount, 0n) - FEE;
    const isSplit = this.coins.length < WANTED_OUTPUTS;
    const amounts = isSplit ? [sum / 3n, sum / 3n, sum - (sum / 3n) * 2n] : [sum];
    const outputs = amounts.map((amount, place) => {
      return { assetId: avaxAssetId, amount, stakeableLocktime: null, owners: this.owners(number + place) };
    });
    const base = { networkId, blockchainId, outputs, inputs, memo: new Uint8Array() };
    const owners = this.owners(number);
    switch (number % 25) {
      case 3:
        return {
          type: 'CreateAsset',
          ...base,
          name: `Asset ${number}`,
          symbol: 'GEN',
          denomination: 3,
          initialStates: [
            {
              fxIndex: 0,
              outputs: [
                { type: 'Mint', owners },
                { type: 'Transfer', amount: 10n, owners },
              ],
            },
            { fxIndex: 1, outputs: [{ type: 'NftMint', groupId: 1, owners }] },
          ],
        };
      case 8: {
        const right = this.mints.shift();
        if (right === undefined) return { type: 'Base', ...base };
        const { assetId, txId, outputIndex } = right;
        return {
          type: 'Operation',
          ...base,
          operations: [
            {
              assetId,
              inputs: [{ txId, outputIndex }],
              operation: {
                type: 'Mint',
                signatureIndices: [0],
                mintOutput: { type: 'Mint', owners },
                transferOutput: { type: 'Transfer', amount: 99n, owners },
              },
            },
          ],
        };
      }
      case 13:
        return {
          type: 'Export',
          ...base,
          outputs: outputs.slice(1),
          destinationChain: PRIMARY_NETWORK,
          exportedOutputs: outputs.slice(0, 1),
        };
      case 18:
        return {
          type: 'Import',
          ...base,
          sourceChain: PRIMARY_NETWORK,
          importedInputs: [this.input({ txId: this.hash(`import ${number}`), outputIndex: 0, amount: 5n })],
        };
      default:
        return { type: 'Base', ...base };
    }
  }

  private remember(txId: Id, unsigned: AvmUnsignedTx): void {
    unsigned.outputs.forEach(({ amount }, outputIndex) => this.coins.push({ txId, outputIndex, amount }));
    const next = unsigned.outputs.length;
    if (unsigned.type === 'CreateAsset') this.mints.push({ assetId: txId, txId, outputIndex: next });
    if (unsigned.type !== 'Operation') return;
    for (const { assetId } of unsigned.operations) this.mints.push({ assetId, txId, outputIndex: next });
  }

  /** One coin while there are few, two of several ages otherwise. */
  private spend(): TransferableInput[] {
    const first = this.coins.shift();
    const second = this.coins.length >= WANTED_OUTPUTS ? this.coins.pop() : undefined;
    return [first, second].flatMap((coin) => (coin === undefined ? [] : [this.input(coin)]));
  }

  private input({ txId, outputIndex, amount }: Coin): TransferableInput {
    const { avaxAssetId: assetId } = this.genesis.identity;
    return { txId, outputIndex, assetId, amount, stakeableLocktime: null, signatureIndices: [0] };
  }

  /** Of a few hundred addresses, now and then two of them together. */
  private owners(number: number): OutputOwners {
    const address = (place: number): ShortId => this.hash(`address ${place % 300}`).slice(0, 40);
    const isShared = number % 17 === 0;
    return {
      locktime: 0n,
      threshold: isShared ? 2 : 1,
      addresses: (isShared ? [address(number), address(number + 1)] : [address(number)]).sort(),
    };
  }

  private hash(what: string): string {
    return createHash('sha256').update(`${this.seed} ${what}`).digest('hex');
  }
}
