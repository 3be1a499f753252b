import { createHash } from 'node:crypto';
import {
  type EvmExportRequest,
  type ExportFormat,
  TRANSACTION_EXPORT_EVM,
} from '../../../../workflows/contracts/export-transactions.js';
import { signerOfStatement } from '../../../avalanche/evm/history/key-statement.js';
import type { Hex } from '../../../avalanche/evm/rpc/hex-values.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import type { Env } from '../../../platform/config/env.schema.js';
import { badRequest } from '../../../platform/http/errors/api-error.js';
import { countDays, type Day, earlier } from '../../../exports/turns/days.js';
import { type ExportTransactionsRequest, SIGNATURE_RULE } from '../dto/export-transactions.request.js';

/** A checked request, with the dates as they were given. */
export interface ValidatedExport extends ValidatedDays {
  readonly type: typeof TRANSACTION_EXPORT_EVM;
  readonly addresses: readonly string[];
  readonly signers: readonly string[];
  readonly chains: readonly EvmChain[];
  readonly format: ExportFormat;
}

export interface ValidatedDays {
  readonly firstDate: string | undefined;
  readonly lastDate: string | undefined;
  /** IANA name. */
  readonly timeZone: string;
  /** Hex. Equal for requests that ask for the same, however they were written, on whichever day. */
  readonly digest: string;
}

/** Both names of each. */
type RequestedDates = Pick<
  Partial<ExportTransactionsRequest>,
  'firstDate' | 'startDate' | 'lastDate' | 'endDate'
>;

export interface RequestLimits {
  readonly maxAddresses: number;
  readonly maxChains: number;
  readonly maxDays: number;
}

const MAX_CHAINS = 16;
/** Ten years. */
const MAX_DAYS = 3_660;

export function exportRequestLimits(env: Env): RequestLimits {
  return {
    maxAddresses: env.EXPORT_MAX_ADDRESSES,
    maxChains: MAX_CHAINS,
    maxDays: MAX_DAYS,
  };
}

/**
 * Applies the rules that depend on the configuration and on the day.
 *
 * Throws ApiError 400 that names everything that is wrong.
 */
export function checkExport(
  { options, ...dates }: ExportTransactionsRequest,
  { limits, chains, today }: { limits: RequestLimits; chains: readonly EvmChain[]; today: Day },
): ValidatedExport {
  const { addresses, signatures, includeChains, format, timeZone } = options;
  const { signers, problems: ofSignatures } = readSigners(signatures, addresses);
  const problems = [
    ...tooMany('options.addresses', addresses.length, limits.maxAddresses),
    ...tooMany('options.includeChains', includeChains.length, limits.maxChains),
    ...unknownChains(includeChains, chains),
    ...ambiguousChains(includeChains, chains),
    ...ofSignatures,
  ];
  const { firstDate, lastDate } = checkDays({ ...dates, timeZone }, problems, { limits, today });
  const wanted = {
    type: TRANSACTION_EXPORT_EVM,
    addresses,
    signers,
    chains: chains
      .filter(({ chainId }) => includeChains.includes(chainId))
      .sort((a, b) => (a.chainId < b.chainId ? -1 : 1)),
    firstDate,
    lastDate,
    timeZone,
    format,
  } as const;
  const ids = wanted.chains.map(({ chainId }) => chainId.toString());
  const asked = [addresses, signers, ids, firstDate, lastDate, timeZone, format];
  const digest = digestOf([TRANSACTION_EXPORT_EVM, ...asked]);
  return { ...wanted, digest };
}

/** Throws ApiError 400 that names everything that is wrong: the problems found so far, and those of the dates. */
export function checkDays(
  { timeZone, ...dates }: RequestedDates & { readonly timeZone: string },
  found: readonly string[],
  { limits, today }: { limits: RequestLimits; today: Day },
): Pick<ValidatedDays, 'firstDate' | 'lastDate'> {
  const problems = [...found, ...futureStart(dates, today, timeZone)];
  const firstDate = dates.firstDate ?? dates.startDate;
  const lastDate = dates.lastDate ?? dates.endDate;
  if (problems.length === 0 && firstDate !== undefined) {
    const until = earlier(lastDate ?? today, today);
    problems.push(...badPeriod(firstDate, until, limits.maxDays, namesOf(dates)));
  }
  if (problems.length > 0) throw badRequest(problems.join('; '));
  return { firstDate, lastDate };
}

/**
 * Fills in the dates that were left out: to today, from the first day that is indexed of any chain.
 *
 * Throws ApiError 400 when that is longer than an export may be.
 */
export function completeExport(
  wanted: ValidatedExport,
  surroundings: { limits: RequestLimits; today: Day; firstIndexedDate: Day | undefined },
): EvmExportRequest {
  const { type, addresses, signers, chains, format, timeZone } = wanted;
  return {
    type,
    addresses: [...addresses],
    signers: [...signers],
    chainIds: chains.map(({ chainId }) => chainId.toString()),
    ...completeDays(wanted, surroundings),
    timeZone,
    format,
  };
}

/** Throws as {@link completeExport}. */
export function completeDays(
  dates: Pick<ValidatedDays, 'firstDate' | 'lastDate'>,
  {
    limits,
    today,
    firstIndexedDate,
  }: { limits: RequestLimits; today: Day; firstIndexedDate: Day | undefined },
): { firstDate: Day; lastDate: Day } {
  const lastDate = dates.lastDate ?? today;
  // A last day in the future means up to now; the export itself reports that it has ended before.
  const until = earlier(lastDate, today);
  const firstDate = dates.firstDate ?? earlier(firstIndexedDate ?? today, until);
  // Beginning later by ourselves would leave out rows that were asked for.
  const [problem] = badPeriod(firstDate, until, limits.maxDays);
  if (problem !== undefined) throw badRequest(`${problem}; data is available from ${firstDate} on`);
  return { firstDate, lastDate };
}

/** A part that is left out counts as null. */
export function digestOf(parts: readonly (string | readonly string[] | undefined)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

export function tooMany(name: string, count: number, max: number): string[] {
  return count > max ? [`${name}: must not have more than ${max} different values`] : [];
}

/** A millisecond each: more than can be of use are not looked at. */
function readSigners(
  signatures: readonly Hex[],
  addresses: readonly string[],
): { signers: readonly string[]; problems: readonly string[] } {
  const problems = tooMany('options.signatures', signatures.length, addresses.length);
  if (problems.length > 0) return { signers: [], problems };
  const signers = signatures.map(signerOfStatement);
  const unread = signers.flatMap((signer, i) =>
    signer === undefined ? [`options.signatures[${i}]: ${SIGNATURE_RULE}`] : [],
  );
  const known = [...new Set(signers)].filter((signer) => signer !== undefined).sort();
  return { signers: known, problems: [...unread, ...strangers(known, addresses)] };
}

function strangers(signers: readonly string[], addresses: readonly string[]): string[] {
  const stranger = signers.find((signer) => !addresses.includes(signer));
  if (stranger === undefined) return [];
  return [
    `options.signatures: one is of ${stranger}, or of another text, and not of one of options.addresses`,
  ];
}

function unknownChains(asked: readonly bigint[], chains: readonly EvmChain[]): string[] {
  const unknown = asked.find((id) => !chains.some(({ chainId }) => chainId === id));
  if (unknown === undefined) return [];
  const configured = chains.map(({ chainId, name }) => `${chainId} (${name})`).join(', ');
  const known = configured === '' ? 'no EVM chain is configured' : `configured are ${configured}`;
  return [`options.includeChains: ${unknown} is not an EVM chain of this service; ${known}`];
}

/** A request has no network, and rows with no more than the chain id could be of either. */
function ambiguousChains(asked: readonly bigint[], chains: readonly EvmChain[]): string[] {
  return asked.flatMap((id) => {
    const networks = chains.filter(({ chainId }) => chainId === id).map(({ network }) => network);
    if (networks.length < 2) return [];
    return [
      `options.includeChains: ${id} is an EVM chain of ${networks.join(' and of ')}; only one may be configured`,
    ];
  });
}

/** The old name of the first day does not count beside the new one. */
function futureStart(dates: RequestedDates, today: Day, timeZone: string): string[] {
  const first = dates.firstDate ?? dates.startDate;
  if (first === undefined || first <= today) return [];
  return [`${namesOf(dates).first}: must not be after today, ${today} (${timeZone})`];
}

/** As the caller calls them. */
function namesOf({ firstDate, startDate, lastDate, endDate }: RequestedDates) {
  return {
    first: firstDate === undefined && startDate !== undefined ? 'startDate' : 'firstDate',
    last: lastDate === undefined && endDate !== undefined ? 'endDate' : 'lastDate',
  };
}

function badPeriod(
  firstDate: string,
  lastDate: string,
  maxDays: number,
  { first, last } = namesOf({}),
): string[] {
  if (firstDate > lastDate) return [`${first}: must not be after ${last} (${firstDate}, ${lastDate})`];
  if (countDays(firstDate, lastDate) <= maxDays) return [];
  return [`${first}: must be at most ${maxDays} days from ${last}, which is ${lastDate}`];
}
