import type { PrimaryChain } from '../../platform/database/chains.js';
import { formatDateTime, formatTextCell, formatUnits, LINE_END } from '../rows/csv.js';

/** Causes of a change of an account's holdings on a chain. Of STAKE and UNSTAKE they stay the same: a stake is still the account's. */
export type LedgerKind =
  | 'GENESIS'
  | 'TRANSFER'
  | 'MINT'
  | 'IMPORT'
  | 'EXPORT'
  | 'STAKE'
  | 'UNSTAKE'
  | 'REWARD_VALIDATION'
  | 'REWARD_DELEGATION'
  | 'REWARD_VALIDATION_FEE'
  | 'L1_VALIDATOR_BALANCE'
  | 'L1_VALIDATOR_REFUND'
  | 'FEE';

/** One row. Ids as people write them. */
export interface LedgerRow {
  readonly chain: PrimaryChain;
  /** Negative before the first block. */
  readonly height: bigint;
  /** UNIX seconds. */
  readonly time: number;
  readonly txId: string;
  /** Empty where no transaction made it. */
  readonly txType: string;
  readonly kind: LedgerKind;
  readonly direction: 'IN' | 'OUT' | 'SELF';
  /** Those of the account that are concerned. */
  readonly addresses: readonly string[];
  /** Signatures that are needed, and addresses that may sign: `2_of_3`. */
  readonly signers: readonly string[];
  readonly assetId: string;
  /** undefined where the asset is not known. */
  readonly asset: { readonly symbol: string; readonly denomination: number } | undefined;
  readonly amount: bigint;
  readonly otherChain: PrimaryChain | undefined;
  readonly otherTxIds: readonly string[];
  readonly nodeId: string;
  readonly stakingTxId: string;
}

const COLUMNS = [
  'Chain',
  'BlockNumber',
  'BlockTimestamp',
  'DateTimeUtc',
  'TxId',
  'TxType',
  'Kind',
  'Direction',
  'Addresses',
  'Signers',
  'AssetId',
  'AssetSymbol',
  'RawAmount',
  'Amount',
  'OtherChain',
  'OtherTxIds',
  'NodeId',
  'StakingTxId',
] as const;

export function formatLedgerHeader(): string {
  return `${COLUMNS.join(',')}${LINE_END}`;
}

/** One row with its line end. Symbols are the only text of others; lists are separated by spaces. */
export function formatLedgerRow(row: LedgerRow): string {
  const { asset, amount, height } = row;
  const cells = [
    row.chain,
    height < 0n ? '' : height,
    row.time,
    formatDateTime(row.time),
    row.txId,
    row.txType,
    row.kind,
    row.direction,
    row.addresses.join(' '),
    row.signers.join(' '),
    row.assetId,
    formatTextCell(asset?.symbol ?? ''),
    amount,
    asset === undefined ? '' : formatUnits(amount, asset.denomination),
    row.otherChain ?? '',
    row.otherTxIds.join(' '),
    row.nodeId,
    row.stakingTxId,
  ];
  return `${cells.join(',')}${LINE_END}`;
}
