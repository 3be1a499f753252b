import type { TxType } from '../../../avalanche/platformvm/transaction.js';
import { amount, bigInteger, flag, id, record, safeInteger, textOf } from '../../engine/sql/field.js';
import { Table } from '../../../platform/database/table.js';

export const TRANSACTION = record({
  txId: id('tx_id'),
  type: textOf<TxType>()('type'),
  blockHeight: bigInteger('block_height'),
  blockTime: safeInteger('block_time'),
  isCommitted: flag('is_committed'),
  burned: amount('burned'),
});

export const TRANSACTIONS = new Table({
  name: 'p_chain_transactions',
  key: ['tx_id'],
  columns: TRANSACTION.columns,
});
