import { greatest } from '../../avalanche/bigints.js';
import { groupBy } from '../../avalanche/group-by.js';
import type { PrimaryChain } from '../../platform/database/chains.js';
import type { LedgerKind, LedgerRow } from './ledger-csv.js';

/**
 * The effects of a transaction on the account: `spent` and `received` on the chain itself, `imported` from another one; what it
 * `staked`, which it also received, and what it `unstaked` stays; `rewarded`: a reward in an output of its own.
 */
export interface LedgerMove {
  readonly kind: 'spent' | 'received' | 'imported' | 'staked' | 'unstaked' | 'rewarded';
  readonly assetId: string;
  /** The account's share. */
  readonly amount: bigint;
  readonly addresses: readonly string[];
  readonly signers: string;
  /** Of stakes and rewards. */
  readonly staking?: Staking;
}

export interface Staking {
  readonly kind: 'REWARD_VALIDATION' | 'REWARD_DELEGATION' | 'REWARD_VALIDATION_FEE' | undefined;
  readonly nodeId: string;
  readonly stakingTxId: string;
}

/** A transaction that concerns the account, and what it moved of the account's. */
export interface LedgerTransaction extends Pick<LedgerRow, 'chain' | 'height' | 'time' | 'txId'> {
  /** Empty where none is on record: the genesis. */
  readonly txType: string;
  /** nAVAX of all who paid. */
  readonly burned: bigint;
  readonly avaxSpent: bigint;
  readonly moves: readonly LedgerMove[];
  readonly otherChain: PrimaryChain | undefined;
  readonly otherTxIds: readonly string[];
}

export interface LedgerAssets {
  readonly avaxAssetId: string | undefined;
  find(assetId: string): LedgerRow['asset'];
}

/** The rows of a transaction. IN less OUT is what it changed of what the account holds on the chain, for each asset. */
export function ledgerRows(transaction: LedgerTransaction, assets: LedgerAssets): LedgerRow[] {
  const byAsset = groupBy(transaction.moves, ({ assetId }) => assetId);
  return [...byAsset].flatMap(([assetId, moves]) => rowsOfAsset(transaction, assetId, moves, assets));
}

function rowsOfAsset(
  transaction: LedgerTransaction,
  assetId: string,
  moves: readonly LedgerMove[],
  assets: LedgerAssets,
): LedgerRow[] {
  const row = rowMaker(transaction, assetId, assets.find(assetId));
  const net = moves.filter(({ kind }) => kind === 'spent' || kind === 'received' || kind === 'imported');
  const sum = (kind: LedgerMove['kind']): bigint => sumOf(net.filter((move) => move.kind === kind));
  const [spent, imported] = [sum('spent'), sum('imported')];
  const fee = assetId === assets.avaxAssetId ? feeOf(transaction, spent + imported) : 0n;
  const changed = sum('received') - spent + fee;
  const arrived = isImport(transaction) ? arrivedOf(imported, changed) : 0n;
  const rest = changed - arrived;
  return [
    ...row('IMPORT', 'IN', arrived, net),
    ...(rest > 0n ? row(kindIn(transaction, assetId === assets.avaxAssetId), 'IN', rest, net) : []),
    ...(rest < 0n ? row(kindOut(transaction), 'OUT', -rest, net) : []),
    ...moves.flatMap((move) =>
      net.includes(move) ? [] : row(kindOfStaking(move), directionOf(move), move.amount, [move]),
    ),
    ...row('FEE', 'OUT', fee, net),
  ];
}

/** By share of what went in, rounded down: what that leaves over of a fee that several pay is part of what they sent. */
function feeOf({ burned, avaxSpent }: LedgerTransaction, paid: bigint): bigint {
  return paid === 0n || avaxSpent === 0n ? 0n : (burned * paid) / avaxSpent;
}

/** Imports by others to the account count, too; an import whose other side is unknown counts by the amount that arrived. */
function arrivedOf(imported: bigint, changed: bigint): bigint {
  return greatest(changed, imported);
}

function isImport({ txType }: LedgerTransaction): boolean {
  return txType === 'Import';
}

function kindIn({ txType }: LedgerTransaction, isAvax: boolean): LedgerKind {
  switch (txType) {
    case '':
      return 'GENESIS';
    case 'DisableL1Validator':
    case 'SetL1ValidatorWeight':
      return 'L1_VALIDATOR_REFUND';
    case 'CreateAsset':
    case 'Operation':
      return isAvax ? 'TRANSFER' : 'MINT';
    default:
      return 'TRANSFER';
  }
}

function kindOut({ txType }: LedgerTransaction): LedgerKind {
  switch (txType) {
    case 'Export':
      return 'EXPORT';
    case 'ConvertSubnetToL1':
    case 'IncreaseL1ValidatorBalance':
    case 'RegisterL1Validator':
      return 'L1_VALIDATOR_BALANCE';
    default:
      return 'TRANSFER';
  }
}

function kindOfStaking({ kind, staking }: LedgerMove): LedgerKind {
  if (kind === 'staked') return 'STAKE';
  return staking?.kind ?? 'UNSTAKE';
}

function directionOf({ kind }: LedgerMove): LedgerRow['direction'] {
  return kind === 'rewarded' ? 'IN' : 'SELF';
}

function sumOf(moves: readonly LedgerMove[]): bigint {
  return moves.reduce((sum, { amount }) => sum + amount, 0n);
}

/** Makes no rows of nothing. */
function rowMaker(
  { chain, height, time, txId, txType, otherChain, otherTxIds }: LedgerTransaction,
  assetId: string,
  asset: LedgerRow['asset'],
) {
  return (
    kind: LedgerKind,
    direction: LedgerRow['direction'],
    amount: bigint,
    moves: readonly LedgerMove[],
  ): LedgerRow[] => {
    if (amount === 0n) return [];
    const crosses = kind === 'IMPORT' || kind === 'EXPORT';
    const staking = moves.length === 1 ? moves[0]?.staking : undefined;
    return [
      {
        chain,
        height,
        time,
        txId,
        txType,
        kind,
        direction,
        addresses: distinct(moves.flatMap(({ addresses }) => addresses)),
        signers: distinct(moves.map(({ signers }) => signers)),
        assetId,
        asset,
        amount,
        otherChain: crosses ? otherChain : undefined,
        otherTxIds: crosses ? otherTxIds : [],
        nodeId: staking?.nodeId ?? '',
        stakingTxId: staking?.stakingTxId ?? '',
      },
    ];
  };
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}
