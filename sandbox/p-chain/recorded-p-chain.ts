import { z } from 'zod';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, idToString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import type { Block } from '../../src/avalanche/platformvm/block.js';
import { parseBlock } from '../../src/avalanche/platformvm/codec/block.js';
import { packTransaction } from '../../src/avalanche/platformvm/codec/transaction.js';
import { type Genesis, loadGenesis, parseGenesis } from '../../src/avalanche/platformvm/genesis/genesis.js';
import type { Transaction } from '../../src/avalanche/platformvm/transaction.js';
import type { PChainRecording, RecordedAnswers } from '../recording/p-chain-recording.js';

/** The node's own answer, as it was. */
export type Answer = Readonly<Record<string, unknown>>;

interface BlockBytes {
  readonly bytes: Uint8Array;
  /** With envelope; null for block 0. */
  readonly container: Uint8Array | null;
}

export interface RecordedTransaction {
  readonly bytes: Uint8Array;
  /** As getTxStatus returns it. */
  readonly status: string;
}

const SummarySchema = z.object({ id: z.string() });
const BlockchainSchema = z.object({ id: z.string(), subnetID: z.string() });
const StatusSchema = z.object({ status: z.string() });
const ConversionSchema = z.object({ conversionID: z.string() });
const ValidationSchema = z.object({ weight: z.coerce.bigint(), minNonce: z.coerce.bigint() });

/** A validation that goes on, as far as a message about it is concerned. */
export type L1Standing = z.infer<typeof ValidationSchema>;

/** A recording as the node of the sandbox looks things up in it: by ids in cb58, at its last block. */
export class RecordedPChain {
  readonly answers: RecordedAnswers;
  readonly subnets: readonly Answer[];
  readonly blockchains: readonly Answer[];
  private readonly subnetByBlockchain: ReadonlyMap<string, string>;
  /** Made when it is first asked for: most who index blocks never ask. */
  private transactions: ReadonlyMap<string, RecordedTransaction> | undefined;

  private constructor(
    readonly recording: PChainRecording,
    /** As bytes: what is read of a chain of a million blocks would fill gigabytes. */
    readonly blocks: readonly BlockBytes[],
    readonly tip: Block,
    private readonly genesis: Genesis,
  ) {
    const answers = recording.answers.at(-1);
    if (answers === undefined) throw new RangeError('no answers were recorded');
    this.answers = answers;
    // Stakers that the node listed last may be younger than the last block: a recording can be cut.
    const exists = (answer: Answer): boolean => {
      const { id } = SummarySchema.parse(answer);
      return id === PRIMARY_NETWORK_ID || this.transaction(id) !== undefined;
    };
    this.subnets = recording.final.subnets.filter(exists);
    this.blockchains = recording.final.blockchains.filter(exists);
    this.subnetByBlockchain = new Map(
      this.blockchains.map((answer) => {
        const { id, subnetID } = BlockchainSchema.parse(answer);
        return [id, subnetID];
      }),
    );
  }

  /** Throws PlatformVmError or RangeError for a recording without blocks or answers, or that begins or ends with no block. */
  static async load(recording: PChainRecording): Promise<RecordedPChain> {
    const blocks = recording.blocks.map(({ bytes, container }) => ({
      bytes: fromHex(bytes),
      container: container === null ? null : fromHex(container),
    }));
    const first = blocks[0];
    const last = blocks.at(-1);
    if (first === undefined || last === undefined) throw new RangeError('no blocks were recorded');
    const genesis =
      recording.genesis === null
        ? await loadGenesis({
            networkId: recording.networkId,
            id: parseBlock(first.bytes).parentId,
          })
        : parseGenesis(fromHex(recording.genesis));
    return new RecordedPChain(recording, blocks, parseBlock(last.bytes), genesis);
  }

  /** UNIX seconds; the chain's time stands still after the last recorded block. */
  get time(): number {
    const { tip } = this;
    return 'time' in tip ? Number(tip.time) : this.answers.timestamp;
  }

  transaction(txId: string): RecordedTransaction | undefined {
    this.transactions ??= this.readTransactions();
    return this.transactions.get(txId);
  }

  hasSubnet(subnetId: string): boolean {
    return subnetId === PRIMARY_NETWORK_ID || subnetId in this.answers.subnets;
  }

  subnetOf(blockchainId: string): string | undefined {
    if (blockchainId === PRIMARY_NETWORK_ID) return PRIMARY_NETWORK_ID;
    return this.subnetByBlockchain.get(blockchainId);
  }

  /** Undefined for subnets that were not converted. */
  conversionIdOf(subnetId: string): string | undefined {
    const answer = this.answers.subnets[subnetId];
    if (answer === undefined) return undefined;
    const { conversionID } = ConversionSchema.parse(answer);
    return conversionID === PRIMARY_NETWORK_ID ? undefined : conversionID;
  }

  /** Null for a validation that is over, undefined for one that never was. */
  l1Standing(validationId: string): L1Standing | null | undefined {
    const answer = this.answers.l1Validators[validationId];
    return answer && ValidationSchema.parse(answer);
  }

  *transactionsInBlocks(): Generator<Transaction> {
    for (const { bytes } of this.blocks) yield* transactionsOf(parseBlock(bytes));
  }

  private readTransactions(): ReadonlyMap<string, RecordedTransaction> {
    const { genesis, recording } = this;
    const all = [...genesis.validators, ...genesis.blockchains, ...this.transactionsInBlocks()];
    return new Map(
      all.map((transaction): [string, RecordedTransaction] => {
        const id = idToString(fromHex(transaction.id));
        const status = StatusSchema.safeParse(recording.final.txStatus[id]).data?.status ?? 'Committed';
        return [id, { bytes: packTransaction(transaction), status }];
      }),
    );
  }

  /** Bytes. */
  get ids() {
    const { avaxAssetId, blockchainIds } = this.recording;
    return {
      xChain: idFromString(blockchainIds.X),
      cChain: idFromString(blockchainIds.C),
      avax: idFromString(avaxAssetId),
    };
  }
}

export function transactionsOf(block: Block): readonly Transaction[] {
  switch (block.type) {
    case 'ApricotAbort':
    case 'ApricotCommit':
    case 'BanffAbort':
    case 'BanffCommit':
      return [];
    case 'ApricotProposal':
    case 'ApricotAtomic':
      return [block.transaction];
    case 'BanffProposal':
      return [...block.transactions, block.transaction];
    case 'ApricotStandard':
    case 'BanffStandard':
      return block.transactions;
  }
}
