import { expect } from '@jest/globals';
import { evmChainName } from '../../../src/platform/database/chains.js';
import type { EvmRecording } from '../../../sandbox/recording/evm-recording.js';
import { CHAIN_NAME, NATIVE_AVAX } from '../evm/c-chain-comparison.js';
import { expectCsvRows, readExpectedTokens } from '../evm/c-chain-second-implementation.js';
import { eventually } from '../harness/eventually.js';
import { download, endOfOperation, type OperationRecord, startExport } from './operations.js';
import { openDatabase } from '../harness/database.js';
import type { TestService } from '../harness/service.js';

const HEADER =
  'ChainId,ChainName,BlockNumber,BlockTimestamp,DateTimeUtc,TxHash,TxIndex,LogIndex/TracePath,Direction,Kind,From,To,' +
  'ContractAddress,TokenSymbol,TokenName,TokenDecimals,TokenId,RawAmount,Amount,FeeWei,FeeAmount,Status,MethodId';

export interface ExportedFile {
  readonly operation: OperationRecord;
  readonly lines: readonly string[];
}

/** Some days of one chain. */
export interface ChainDays {
  readonly chainId: bigint;
  readonly firstDate: string;
  readonly lastDate: string;
}

/** Until the service's only EVM chain is indexed, or one of them. */
export async function untilIndexed(
  { databaseUrl }: TestService,
  { from, to, chainId }: { from: number; to: number; chainId?: bigint },
): Promise<void> {
  const database = await openDatabase(databaseUrl);
  await eventually(`the index has blocks ${from} to ${to}`, async () => {
    const covered = await database.query<object[]>(
      `SELECT FROM index_coverage WHERE status = 'complete' AND from_height <= $1 AND to_height >= $2
          AND facet IN ('base', 'traces') AND chain = coalesce($3, chain)`,
      [from, to, chainId === undefined ? null : evmChainName(chainId)],
    );
    return covered.length === 2;
  });
}

/** All days of the recording, whose blocks from the second on are of the time when it was made. */
export function daysOf(recording: EvmRecording): ChainDays {
  return {
    chainId: BigInt(recording.chainId),
    firstDate: dateOf(recording, 1),
    lastDate: dateOf(recording, recording.blocks.length - 1),
  };
}

export function exportRecorded(
  service: TestService,
  recording: EvmRecording,
  addresses: readonly string[],
): Promise<ExportedFile> {
  return exportDays(service, daysOf(recording), addresses);
}

export async function exportDays(
  service: TestService,
  { chainId, firstDate, lastDate }: ChainDays,
  addresses: readonly string[],
): Promise<ExportedFile> {
  const { operationId } = await startExport(service, {
    addresses,
    chainIds: [chainId],
    firstDate,
    lastDate,
  });
  const operation = await endOfOperation(service, operationId);
  const [header, ...lines] = (await download(operation)).split('\r\n');
  expect(header).toBe(HEADER);
  expect(lines.pop()).toBe(''); // behind the last line's end
  return { operation, lines };
}

/** The UTC day of a block. */
export function dateOf({ blocks }: Pick<EvmRecording, 'blocks'>, height: number): string {
  const seconds = Number(blocks[height]?.block.timestamp ?? 0);
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

type Kinds = Parameters<typeof expectCsvRows>[0]['kinds'];

/** Rows of the second implementation from the recorded receipts and traces. */
export function expectedLines(
  recording: EvmRecording,
  addresses: readonly string[],
  { kinds, chainName = CHAIN_NAME }: { kinds?: Kinds; chainName?: string } = {},
): readonly string[] {
  return expectCsvRows({
    chainId: BigInt(recording.chainId),
    chainName,
    native: NATIVE_AVAX,
    blocks: recording.blocks,
    atomic: recording.atomic,
    tokens: readExpectedTokens(recording),
    addresses: addresses.map((address) => address.toLowerCase()),
    ...(kinds === undefined ? {} : { kinds }),
  }).map((row) => row.replace(/\r\n$/, ''));
}

/** Of everybody for whom the recorder wrote balances down. */
export function accountsOf({ balances }: EvmRecording): string[] {
  return Object.keys(balances);
}

/** To the wei: what one address' rows of the native asset add up to is what its balance has changed by. */
export function expectBalanceChange(
  lines: readonly string[],
  recording: EvmRecording,
  account: string,
): void {
  const balances = Object.entries(recording.balances).find(([address]) => address === account)?.[1] ?? [];
  const moved = lines.map((line) => line.split(',')).reduce((sum, cells) => sum + signedAmount(cells), 0n);
  expect({ account, change: moved }).toEqual({
    account,
    change: BigInt(balances.at(-1) ?? -1) - BigInt(balances[0] ?? -1),
  });
}

/** The recordings' imports and exports are of nothing but AVAX. */
const NATIVE_KINDS: ReadonlySet<string> = new Set(['NATIVE', 'INTERNAL', 'MINT', 'IMPORT', 'EXPORT', 'FEE']);

/** Rows of the native asset have no cell in quotes, so that commas part them. */
function signedAmount(cells: readonly string[]): bigint {
  const [direction, kind] = [cells[8], cells[9]];
  if (kind === undefined || !NATIVE_KINDS.has(kind)) return 0n;
  if (direction === 'SELF') return 0n;
  const amount = BigInt(cells[17] ?? '');
  return direction === 'IN' ? amount : -amount;
}
