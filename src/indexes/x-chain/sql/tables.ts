import type { AssetKind } from '../../../avalanche/avm/state/changes.js';
import type { AvmTxType } from '../../../avalanche/avm/transaction.js';
import { amount, bigInteger, id, int, record, safeInteger, text, textOf } from '../../engine/sql/field.js';
import { Table } from '../../../platform/database/table.js';

export const ASSET = record({
  assetId: id('asset_id'),
  name: text('name'),
  symbol: text('symbol'),
  denomination: int('denomination'),
  kind: textOf<AssetKind>()('type'),
});

export const ASSETS = new Table({ name: 'assets', key: ['asset_id'], columns: ASSET.columns });

export const TRANSACTION = record({
  txId: id('tx_id'),
  type: textOf<AvmTxType>()('type'),
  blockHeight: bigInteger('block_height'),
  blockTime: safeInteger('block_time'),
  burned: amount('burned'),
});

export const TRANSACTIONS = new Table({
  name: 'x_chain_transactions',
  key: ['tx_id'],
  columns: TRANSACTION.columns,
});
