import type { PrimaryChain } from '../../platform/database/chains.js';
import type { Queryable, Transaction } from '../../platform/database/database.js';
import { PRIMARY_CHAIN_NAMES, PRIMARY_CHAINS } from '../../platform/database/chains.js';
import { TransactionExportError } from '../transaction-export.error.js';
import { addDays, countDays, type Day, dayIn, earlier, later, startIn } from '../turns/days.js';
import { type ExportGaps, type GapChain, missingOn, openAt, openDayOf } from '../turns/export-gaps.js';
import {
  beginTimeSlice,
  type ChainSlice,
  type ExportPosition,
  type Slice,
  takeStep,
} from '../turns/export-position.js';
import { QuietChains } from '../turns/quiet-chains.js';
import type { ExportSources, LedgerTurnInput, TurnWork } from '../turns/turn-input.js';
import { type CoveredChain, type LedgerCoverage, readLedgerCoverage, withQuietC } from './ledger-coverage.js';
import { formatLedgerRow } from './ledger-csv.js';
import { BY_KEYS, findEvents } from './ledger-events.repository.js';
import { LedgerReader } from './ledger-reader.js';

/** In memory at a time, with what belongs to them. */
const MAX_EVENTS = 20_000;
/** Of an address with millions of outputs. */
const STATEMENT_TIMEOUT_MS = 300_000;

/** Rows of a ledger: from the tables alone, all chains together in the order of time. A step is as many seconds as have some events. */
export class LedgerWork implements TurnWork {
  constructor(
    private readonly input: LedgerTurnInput,
    private readonly sources: Pick<ExportSources, 'database' | 'chains' | 'indexedNetworks'>,
  ) {}

  async plan(position: ExportPosition): Promise<ExportPosition> {
    const { period } = this.input;
    const { nextDay: firstDay, sliceDays } = position;
    const lastDay = addDays(firstDay, Math.min(sliceDays, countDays(firstDay, period.until)) - 1);
    const [from, behind] = [this.startOf(firstDay), this.startOf(addDays(lastDay, 1))];
    const indexed = await this.readCoverage(this.sources.database);
    const coverage = withQuietC(indexed, await this.cQuietUntil(indexed, behind));
    // In the order that JSON has in Postgres, so that notes have one.
    const gaps = PRIMARY_CHAINS.toSorted().reduce(
      (known, chain) => this.withGaps(known, { chain, covered: coverage.get(chain) }, { firstDay, lastDay }),
      position.gaps,
    );
    const starts = Object.fromEntries([...coverage.keys()].map((chain) => [chain, BigInt(behind)]));
    return beginTimeSlice({ ...position, gaps, starts }, { firstDay, lastDay, from, behind });
  }

  async *step(
    position: ExportPosition,
    slice: Slice,
    chainSlice: ChainSlice,
  ): AsyncGenerator<Buffer, ExportPosition> {
    const { database } = this.sources;
    const indexed = await this.readCoverage(database);
    const cQuietUntil = await this.cQuietUntil(indexed, Number(chainSlice.toHeight) + 1);
    const { rows, text, behind } = await database.transaction(
      (transaction) => this.read(transaction, { gaps: position.gaps, slice, chainSlice, cQuietUntil }),
      { begin: 'BEGIN ISOLATION LEVEL REPEATABLE READ', statementTimeoutMs: STATEMENT_TIMEOUT_MS },
    );
    if (rows > 0) yield Buffer.from(text);
    const toHeight = BigInt(behind - 1);
    return takeStep(position, slice, chainSlice, { toHeight, rows, nodeCalls: 0, searched: 0 });
  }

  private async read(
    transaction: Transaction,
    {
      gaps,
      slice,
      chainSlice: { nextHeight, toHeight },
      cQuietUntil,
    }: { gaps: ExportGaps; slice: Slice; chainSlice: ChainSlice; cQuietUntil: number },
  ) {
    const { cChain } = this;
    const { network: name, addresses, evmAddresses } = this.input.request;
    await transaction.set(BY_KEYS);
    const [from, end] = [Number(nextHeight), Number(toHeight) + 1];
    const query = { network: name, cChain, addresses, evmAddresses, from, behind: end };
    const { events, behind } = await findEvents(transaction, query, MAX_EVENTS);
    const coverage = withQuietC(await this.readCoverage(transaction), cQuietUntil);
    this.expectCovered(coverage, { gaps, slice, behind });
    const network = await this.sources.indexedNetworks.get(name);
    const rows = await new LedgerReader(transaction, { ...query, ids: network }).rowsOf(events);
    return { rows: rows.length, text: rows.map(formatLedgerRow).join(''), behind };
  }

  /** The days that counted as whole when they were planned still are, unless an index was reset meanwhile. */
  private expectCovered(
    coverage: LedgerCoverage,
    { gaps, slice, behind }: { gaps: ExportGaps; slice: Slice; behind: number },
  ): void {
    for (const chain of PRIMARY_CHAINS) {
      const openDay = openDayOf(gaps, chain);
      const isMissing =
        (gaps[chain]?.unindexed.length ?? 0) > 0 || (openDay !== undefined && openDay <= slice.firstDay);
      const needed = openDay === undefined ? behind : Math.min(behind, this.startOf(openDay));
      if (isMissing || (coverage.get(chain)?.until ?? 0) >= needed) continue;
      throw new TransactionExportError(
        'INDEX_CHANGED',
        `the index of the ${PRIMARY_CHAIN_NAMES[chain]} is behind where it was`,
      );
    }
  }

  private withGaps(
    gaps: ExportGaps,
    { chain, covered }: { readonly chain: PrimaryChain; readonly covered: CoveredChain | undefined },
    slice: { readonly firstDay: Day; readonly lastDay: Day },
  ): ExportGaps {
    const { timeZone } = this.input.request;
    const place: GapChain = { chainId: chain, name: `${chain}-chain` };
    const last = earlier(slice.lastDay, this.input.period.until);
    if (covered === undefined) return missingOn(gaps, place, 'unindexed', { first: slice.firstDay, last });
    let known = gaps;
    if (covered.since > this.startOf(slice.firstDay)) {
      const days = { first: slice.firstDay, last: earlier(last, dayIn(timeZone, covered.since)) };
      known = missingOn(known, place, 'withoutAtomic', days);
    }
    if (covered.until >= this.startOf(addDays(slice.lastDay, 1))) return known;
    const { height, timestampSeconds, until } = covered;
    return openAt(known, place, {
      day: later(dayIn(timeZone, until), slice.firstDay),
      height,
      timestampSeconds,
    });
  }

  private readCoverage(database: Queryable): Promise<LedgerCoverage> {
    return readLedgerCoverage(database, this.input.request.network, this.cChain);
  }

  /** Asked of its nodes only where its newest block does not prove as much. */
  private async cQuietUntil(indexed: LedgerCoverage, behind: number): Promise<number> {
    const { cChain, sources } = this;
    const known = indexed.get('C');
    if (cChain === undefined || known === undefined || known.until >= behind) return 0;
    return new QuietChains(sources.chains).until(cChain, known.height);
  }

  private get cChain() {
    return this.sources.chains.cChainOf(this.input.request.network);
  }

  private startOf(day: Day): number {
    return startIn(this.input.request.timeZone, day);
  }
}
