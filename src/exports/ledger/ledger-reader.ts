import { groupBy } from '../../avalanche/group-by.js';
import { packAddress } from '../../avalanche/ids/address.js';
import { fromHex } from '../../avalanche/ids/hex.js';
import { repeatedIdToString, repeatedNodeIdToString } from '../../avalanche/ids/repeated-texts.js';
import { PRIMARY_NETWORK } from '../../avalanche/platformvm/ids.js';
import type { IndexedNetwork } from '../../indexes/overview/indexed-networks.js';
import { type PrimaryChain, PRIMARY_CHAINS } from '../../platform/database/chains.js';
import type { Transaction } from '../../platform/database/database.js';
import type { LedgerRow } from './ledger-csv.js';
import type { EventQuery, LedgerEvent } from './ledger-events.repository.js';
import {
  type Crossing,
  findAssets,
  findAtomicTransactions,
  findExported,
  findImported,
  findStakers,
  findTransactions,
  type RecordedStaker,
  type RecordedTransaction,
} from './ledger-records.repository.js';
import {
  type LedgerAssets,
  type LedgerMove,
  ledgerRows,
  type LedgerTransaction,
  type Staking,
} from './ledger-rows.js';
import { ownedShare } from './owned-share.js';

const REWARD_KINDS = {
  VALIDATOR: 'REWARD_VALIDATION',
  DELEGATOR: 'REWARD_DELEGATION',
  VALIDATOR_FEE: 'REWARD_VALIDATION_FEE',
} as const;

const AVAX = { symbol: 'AVAX', denomination: 9 };

/** An event with the chain and the transaction that it belongs to. */
interface PlacedEvent {
  readonly event: LedgerEvent;
  readonly chain: PrimaryChain;
  readonly txId: string;
}

type Records = Readonly<Record<PrimaryChain, ReadonlyMap<string, RecordedTransaction>>>;

/** Makes rows of events, with what the tables know of their transactions. */
export class LedgerReader {
  private readonly ours: ReadonlySet<string>;

  constructor(
    private readonly transaction: Transaction,
    private readonly query: EventQuery & { readonly ids: IndexedNetwork },
  ) {
    this.ours = new Set([...query.addresses, ...query.evmAddresses]);
  }

  /** In the order of time, and within a second by chain, height and transaction. */
  async rowsOf(events: readonly LedgerEvent[]): Promise<LedgerRow[]> {
    const { transaction, query } = this;
    const staked = events.filter(({ isStakeOutput, rewardType }) => isStakeOutput || rewardType !== null);
    const stakers = await findStakers(
      transaction,
      query.network,
      distinct(staked.map((event) => event.createdByTxId)),
    );
    const placed = events.flatMap((event) => this.place(event, stakers));
    const records = await this.findRecords(placed);
    const crossings = await this.findCrossings(placed, records);
    const assets = await this.findAssets(events);
    return [...groupByTransaction(placed).values()]
      .map((group) => this.toTransaction(group, { records, stakers, crossings }))
      .sort(inOrder)
      .flatMap((each) => ledgerRows(each, assets))
      .map(withNames);
  }

  /** Rewards and returned stakes come with the transaction that ended the stake, whose ids do not stand in their outputs. */
  private place(event: LedgerEvent, stakers: ReadonlyMap<string, RecordedStaker>): PlacedEvent[] {
    const chain = this.chainOf(event.chainId);
    if (chain === undefined) return [];
    const isEnd = event.kind === 'unstaked' || (event.kind === 'created' && event.rewardType !== null);
    const end = isEnd ? stakers.get(event.createdByTxId)?.endTxId : undefined;
    return [{ event, chain, txId: (isEnd ? end : event.txId) ?? event.createdByTxId }];
  }

  private async findRecords(placed: readonly PlacedEvent[]): Promise<Records> {
    const { transaction } = this;
    const { network, cChain } = this.query;
    const { avaxAssetId } = this.query.ids;
    const idsOn = (chain: PrimaryChain): string[] =>
      distinct(placed.flatMap((each) => (each.chain === chain ? [each.txId] : [])));
    return {
      P: await findTransactions(transaction, { network, chain: 'P' }, idsOn('P')),
      X: await findTransactions(transaction, { network, chain: 'X' }, idsOn('X')),
      C:
        cChain === undefined || avaxAssetId === undefined
          ? new Map()
          : await findAtomicTransactions(transaction, { cChain, avaxAssetId }, idsOn('C')),
    };
  }

  /** Also of outputs of others: what the account exported to them, and what it imported of theirs on the C-chain. */
  private async findCrossings(
    placed: readonly PlacedEvent[],
    records: Records,
  ): Promise<ReadonlyMap<string, Crossing[]>> {
    const { transaction } = this;
    const { network, cChain } = this.query;
    const ofType = (type: string, chains: readonly PrimaryChain[]): string[] =>
      distinct(
        placed.flatMap(({ chain, txId }) =>
          chains.includes(chain) && records[chain].get(txId)?.type === type ? [txId] : [],
        ),
      );
    const own = placed.flatMap(({ event: { otherChainId, otherTxId }, txId }) =>
      otherChainId === null ? [] : [{ txId, otherChainId, otherTxId }],
    );
    const exported = await findExported(transaction, network, ofType('Export', PRIMARY_CHAINS));
    const imported = cChain
      ? await findImported(transaction, { network, cChain }, ofType('Import', ['C']))
      : [];
    return groupBy([...own, ...exported, ...imported], ({ txId }) => txId);
  }

  private async findAssets(events: readonly LedgerEvent[]): Promise<LedgerAssets> {
    const { avaxAssetId } = this.query.ids;
    const ids = distinct(events.map(({ assetId }) => assetId));
    const known = await findAssets(this.transaction, this.query.network, ids);
    return { avaxAssetId, find: (assetId) => (assetId === avaxAssetId ? AVAX : known.get(assetId)) };
  }

  private toTransaction(
    group: readonly [PlacedEvent, ...PlacedEvent[]],
    {
      records,
      stakers,
      crossings,
    }: {
      readonly records: Records;
      readonly stakers: ReadonlyMap<string, RecordedStaker>;
      readonly crossings: ReadonlyMap<string, Crossing[]>;
    },
  ): LedgerTransaction {
    const [{ chain, txId, event }] = group;
    const record = records[chain].get(txId);
    const crossed = crossings.get(txId) ?? [];
    const [otherChain] = crossed.flatMap(({ otherChainId }) => this.chainOf(otherChainId) ?? []);
    return {
      chain,
      height: BigInt(record?.height ?? event.height ?? -1),
      time: event.time,
      txId,
      txType: record?.type ?? '',
      burned: BigInt(record?.burned ?? 0),
      avaxSpent: BigInt(record?.avaxSpent ?? 0),
      moves: group.flatMap((each) => this.toMoves(each, stakers)),
      otherChain,
      otherTxIds: distinct(crossed.flatMap(({ otherTxId }) => otherTxId ?? [])),
    };
  }

  private toMoves({ event, chain }: PlacedEvent, stakers: ReadonlyMap<string, RecordedStaker>): LedgerMove[] {
    const { assetId, owners, threshold, createdByTxId, rewardType } = event;
    const move = {
      assetId,
      amount: ownedShare(BigInt(event.amount), owners, (owner) => this.ours.has(owner)),
      addresses: owners.filter((owner) => this.ours.has(owner)).map((owner) => this.addressOn(chain, owner)),
      signers: `${threshold}_of_${owners.length}`,
    };
    const staker = stakers.get(createdByTxId);
    const staking: Staking = {
      kind: event.kind === 'created' && rewardType !== null ? REWARD_KINDS[rewardType] : undefined,
      nodeId: staker?.nodeId ?? '',
      stakingTxId: staker?.stakingTxId ?? '',
    };
    switch (event.kind) {
      case 'created':
        if (rewardType !== null) return [{ ...move, kind: 'rewarded', staking }];
        if (event.otherChainId !== null) return []; // leaves the chain at once
        return [
          { ...move, kind: 'received' },
          ...(event.isStakeOutput ? [{ ...move, kind: 'staked' as const, staking }] : []),
        ];
      case 'spent':
        return [{ ...move, kind: event.otherChainId === null ? 'spent' : 'imported' }];
      case 'unstaked':
        return [{ ...move, kind: 'unstaked', staking }];
      case 'credited':
        return [{ ...move, kind: 'received' }];
      case 'debited':
        return [{ ...move, kind: 'spent' }];
    }
  }

  /** `C` stands for itself. */
  private chainOf(chainId: string): PrimaryChain | undefined {
    const { xChainId, cChainId } = this.query.ids;
    switch (chainId) {
      case PRIMARY_NETWORK:
        return 'P';
      case xChainId:
        return 'X';
      case cChainId:
      case 'C':
        return 'C';
      default:
        return undefined;
    }
  }

  private addressOn(chainAlias: PrimaryChain, owner: string): string {
    if (owner.startsWith('0x')) return owner;
    return packAddress({ chainAlias, hrp: this.query.ids.hrp, bytes: fromHex(owner) });
  }
}

/** Early blocks of the C-chain repeat transactions. */
function groupByTransaction(
  placed: readonly PlacedEvent[],
): ReadonlyMap<string, [PlacedEvent, ...PlacedEvent[]]> {
  return groupBy(placed, ({ chain, txId, event }) => `${chain} ${txId} ${event.time}`);
}

function inOrder(a: LedgerTransaction, b: LedgerTransaction): number {
  const chains = PRIMARY_CHAINS.indexOf(a.chain) - PRIMARY_CHAINS.indexOf(b.chain);
  return a.time - b.time || chains || Number(a.height - b.height) || (a.txId < b.txId ? -1 : 1);
}

function distinct(ids: readonly string[]): string[] {
  return [...new Set(ids)].sort();
}

function withNames(row: LedgerRow): LedgerRow {
  return {
    ...row,
    txId: cb58(row.txId),
    assetId: cb58(row.assetId),
    otherTxIds: row.otherTxIds.map(cb58),
    nodeId: row.nodeId === '' ? '' : repeatedNodeIdToString(row.nodeId),
    stakingTxId: cb58(row.stakingTxId),
  };
}

function cb58(id: string): string {
  return id === '' || id === PRIMARY_NETWORK ? '' : repeatedIdToString(id);
}
