import {
  type AccountHistory,
  findAccountHistories,
  type SearchRange,
} from '../../avalanche/evm/history/account-history.js';
import type { StateQuery } from '../../avalanche/evm/rpc/evm-client.js';
import type { LogWindows } from '../../avalanche/evm/rpc/log-windows.js';
import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import type { ExportNode } from '../rows/export-node.js';
import { type HeightRange, includes, subtract } from '../../indexes/engine/coverage/height-range.js';
import { TransactionExportError } from '../transaction-export.error.js';
import { KnownStates } from './known-states.js';
import { SearchEstimate } from './search-estimate.js';
import type { SearchPlace, SearchRecordsRepository } from './search-records.repository.js';

/** States that are asked before they are put on record: no more are asked again after a crash. */
const STATES_PER_RECORD = 400;

/** The turn is over before the search. */
export class OutOfTime extends Error {}

/** Blocks of a stretch that concern some accounts. */
export interface FoundBlocks {
  readonly histories: readonly AccountHistory[];
  /** Blocks that changed one of them, or whose logs name one; ascending. */
  readonly heights: readonly bigint[];
  /** Accounts that have code at one end, or had some in between. */
  readonly contracts: ReadonlySet<Address>;
}

/** Finds the blocks of a stretch that concern an export's accounts. What is answered is on record at once, for whoever goes on. */
export class RangeSearch {
  private readonly known = new KnownStates();
  private isLoaded = false;
  private found: FoundBlocks | undefined;
  private asked = 0;
  private readonly estimate: SearchEstimate;

  constructor(
    private readonly place: SearchPlace,
    readonly range: SearchRange,
    private readonly addresses: readonly Address[],
    private readonly node: ExportNode,
    private readonly windows: LogWindows,
    private readonly records: SearchRecordsRepository,
    private readonly hasTime: () => boolean,
    /** Blocks that are known to concern the accounts. */
    private readonly certain: readonly bigint[] = [],
  ) {
    this.estimate = new SearchEstimate(range);
  }

  /** Roughly, from 0 to 1. */
  get done(): number {
    return this.estimate.done;
  }

  /** Calls to nodes since this was asked last. */
  takeCalls(): number {
    const { asked } = this;
    this.asked = 0;
    return asked;
  }

  /** Throws OutOfTime, TransactionExportError, RpcError and EvmError. */
  async find(): Promise<FoundBlocks> {
    if (this.found !== undefined) return this.found;
    this.estimate.expect(await this.countSignatures());
    // Without a topic, a search for logs finds all there are.
    const named = this.addresses.length === 0 ? [] : await this.namedInLogs();
    const histories = await findAccountHistories(this.addresses, this.range, (queries) => {
      this.estimate.beginRound(queries, this.known.missing(queries).length);
      return this.read(queries);
    });
    const changed = histories.flatMap(({ changes }) => changes.map(({ height }) => height));
    const first = this.range.from < 0n ? [0n] : [];
    const upgraded = await this.node.upgradeHeights(this.addresses, this.range);
    const heights = [...new Set([...first, ...this.certain, ...upgraded, ...named, ...changed])].sort(
      (a, b) => (a < b ? -1 : 1),
    );
    const contracts = new Set([
      ...(await this.withCode()),
      ...histories.filter(wasDestroyed).map(({ address }) => address),
    ]);
    this.estimate.endRounds(heights.length);
    this.found = { histories, heights, contracts };
    return this.found;
  }

  /** In the order of the queries; `isPatient`: to the end, whatever the time. Throws as `find`. */
  read = async (
    queries: readonly StateQuery[],
    { isPatient = false }: { readonly isPatient?: boolean } = {},
  ): Promise<bigint[]> => {
    await this.load();
    const missing = this.known.missing(queries);
    for (let at = 0; at < missing.length; at += STATES_PER_RECORD) {
      if (!isPatient && this.asked > 0 && !this.hasTime()) throw new OutOfTime();
      const some = missing.slice(at, at + STATES_PER_RECORD);
      const values = await this.node.states(some, this.range);
      const answers = some.map((query, index) => ({ ...query, value: values[index] ?? 0n }));
      this.asked += some.length;
      await this.records.saveStates(this.place, answers);
      this.known.add(answers);
      this.estimate.answer(answers.length);
    }
    return queries.map((query) => this.known.get(query) ?? 0n);
  };

  /**
   * Compares states with the answers of each of the nodes. The accounts of those that differ are searched for again by whoever goes on.
   *
   * Throws TransactionExportError `NODES_DIFFER`, and as `find`.
   */
  async assertAgreed(queries: readonly StateQuery[]): Promise<void> {
    const values = await this.read(queries, { isPatient: true });
    const answers = await this.node.statesByNode(queries, this.range);
    this.asked += answers.length * queries.length;
    const disputed = queries.filter((_, index) =>
      answers.some((each) => each.values[index] !== values[index]),
    );
    const [first] = disputed;
    if (first === undefined) return;
    const addresses = [...new Set(disputed.map(({ address }) => address))];
    await this.records.forgetStates(this.place, addresses, this.range);
    const hosts = answers.map(({ host }) => host).join(', ');
    throw new TransactionExportError(
      'NODES_DIFFER',
      `of ${hosts} one gives another ${first.field} of ${first.address} after block ${first.height}`,
    );
  }

  /** Accounts that have code at one of the ends. */
  async withCode(): Promise<Address[]> {
    const { addresses, node, range } = this;
    const ends = range.from < 0n ? [range.to] : [range.from, range.to];
    const found: Address[] = [];
    for (const height of ends) found.push(...(await node.contractsAmong(addresses, height, range)));
    return found;
  }

  private async load(): Promise<void> {
    if (this.isLoaded) return;
    const states = await this.records.findStates(this.place, this.range);
    this.known.add(states);
    this.estimate.answer(states.length);
    this.isLoaded = true;
  }

  /** By how much the nonces rise. */
  private async countSignatures(): Promise<number> {
    const { from, to } = this.range;
    const ends = this.addresses.flatMap((address) =>
      [from, to].map((height) => ({ address, field: 'nonce' as const, height })),
    );
    const nonces = await this.read(ends);
    const rises = this.addresses.map((_, at) => Number((nonces[2 * at + 1] ?? 0n) - (nonces[2 * at] ?? 0n)));
    // The nonce of a contract that was destroyed begins anew.
    return rises.reduce((sum, rise) => sum + Math.max(0, rise), 0);
  }

  /** Blocks with logs of tokens, or of the native minter, that name one of the accounts. */
  private async namedInLogs(): Promise<bigint[]> {
    const range = heightsOf(this.range);
    const recorded = await this.records.findLogHeights(this.place, this.range);
    const named = recorded.flatMap(({ heights }) => heights.filter((height) => includes(range, height)));
    const last = recorded.at(-1);
    if (last !== undefined) this.estimate.searchLogs(recorded.length, last.to);
    for (const open of subtract(range, recorded.map(heightsOf))) {
      let next = open.from - 1n;
      while (next < open.to) {
        if (this.asked > 0 && !this.hasTime()) throw new OutOfTime();
        const stretch = { from: next, to: open.to };
        const found = await this.node.transferHeights(this.addresses, stretch, this.windows);
        this.asked += found.calls;
        await this.records.saveLogHeights(this.place, found);
        named.push(...found.heights);
        next = found.to;
        this.estimate.searchLogs(1, next);
      }
    }
    return named;
  }
}

/** With its first height. */
function heightsOf({ from, to }: SearchRange): HeightRange {
  return { from: from + 1n, to };
}

/** The nonce of a contract that was destroyed begins anew. */
function wasDestroyed({ changes }: AccountHistory): boolean {
  return changes.some(({ before, after }) => after.nonce < before.nonce);
}
