import { neutraliseText } from '../../../avalanche/evm/transfers/spreadsheet-text.js';
import type { TokenMetadata } from '../../../avalanche/evm/transfers/token-metadata.js';
import { evmChainKey, type EvmChainRef } from '../../../platform/database/chains.js';
import type { Statement } from '../../../platform/database/database.js';
import { Table } from '../../../platform/database/table.js';
import { EvmToken } from '../entities/evm-token.entity.js';

const ASKED_NOW = { without: ['askedAt'], onUpdate: { asked_at: 'now()' } } as const;

/** Metadata that contracts report of themselves, once each. */
export const TOKENS = new Table(EvmToken, ASKED_NOW);

/** Those that blocks speak of; one that is not asked yet may be on record. */
export const NEW_TOKENS = new Table(EvmToken, { ...ASKED_NOW, replacedIf: "$row.asked_at = 'epoch'" });

/** Readers that know them go on without asking again, so that all stay on record. */
export const FORGET_TOKENS = `
UPDATE evm_tokens SET name = NULL, symbol = NULL, csv_symbol = NULL, decimals = NULL, unit = NULL, failure = 'not asked yet', asked_at = 'epoch'
 WHERE chain_key = $1`;

/** In one order: of two transactions with some of the same new contracts one waits for the other, and neither for ever. */
export function toTokenRows(tokens: readonly TokenMetadata[]) {
  return tokens.toSorted((a, b) => (a.contract < b.contract ? -1 : 1)).map(toTokenRow);
}

function toTokenRow({ symbol, decimals, failure, ...token }: TokenMetadata) {
  return {
    ...token,
    symbol,
    csvSymbol: symbol === null ? null : neutraliseText(symbol),
    decimals,
    unit: decimals === null ? null : unitOf(decimals),
    failure: failure ?? null,
  };
}

export interface StaleTokenRow {
  readonly contract: Buffer;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
}

/** Tokens that could not be asked, and then those that were asked long ago; of each the longest first. */
export function staleTokens(chain: EvmChainRef, limit: number): Statement {
  return {
    text: `SELECT contract, name, symbol, decimals FROM (
             (SELECT *, 1 AS turn FROM evm_tokens
               WHERE chain_key = $1 AND failure IS NOT NULL AND asked_at < now() - interval '1 minute' ORDER BY asked_at LIMIT $2)
             UNION ALL
             (SELECT *, 2 AS turn FROM evm_tokens
               WHERE chain_key = $1 AND failure IS NULL AND asked_at < now() - interval '30 days' ORDER BY asked_at LIMIT $2)
           ) AS stale ORDER BY turn, asked_at LIMIT $2`,
    values: [evmChainKey(chain).toString(), limit],
  };
}

export function toToken({ contract, ...metadata }: StaleTokenRow): TokenMetadata {
  return { contract: `0x${contract.toString('hex')}`, ...metadata };
}

/** 10^-decimals, exactly. */
function unitOf(decimals: number): string {
  return decimals === 0 ? '1' : `0.${'1'.padStart(decimals, '0')}`;
}
