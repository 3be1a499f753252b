import { greatest } from '../../../avalanche/bigints.js';
import { Injectable } from '@nestjs/common';
import { EvmError } from '../../../avalanche/evm/evm.error.js';
import {
  type BlockWithMovements,
  mayHaveInternalMovements,
  readMovements,
} from '../../../avalanche/evm/transfers/movement-reader.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import { EvmChains } from '../../../platform/evm-chains/evm-chains.js';
import type { AuditReport } from '../../engine/audit/compare-at-one-height.js';
import { Differences } from '../../engine/audit/differences.js';
import type { CoverageByFacet } from '../../engine/coverage/coverage.repository.js';
import { type HeightRange, includes } from '../../engine/coverage/height-range.js';
import { IndexError } from '../../engine/following/index.error.js';
import { isNodeError } from '../../engine/following/node-failure.js';
import { nameOfNode } from '../../engine/following/node-pool.js';
import type { Checkpoint } from '../facets/checkpoint.js';
import { type Facet, type FacetBatch, facetsOf, TRACES } from '../facets/facets.js';
import { batchesOf } from '../rows/base-rows.js';
import { EvmIndexRepository } from '../rows/evm-index.repository.js';
import { EvmWriter } from '../rows/evm-writer.js';
import { traceBatch } from '../rows/trace-rows.js';
import { ChainMintRules } from '../sources/chain-mint-rules.js';
import { EvmNode, EvmNodes } from '../sources/evm-node.js';
import { GenesisAllocations } from '../sources/genesis-allocations.js';
import { traceBlock } from '../sources/trace-source.js';
import { areEqual, type AuditedRows, compareRows, rowsOfBatch } from './audited-rows.js';
import { EvmAuditRepository } from './evm-audit.repository.js';
import { sampleHeights } from './sample-heights.js';

/** Of so many nodes most must agree before rows are made anew, also where fewer are configured: one alone may be wrong, too. */
const FEWEST_NODES = 3;

/** A chain as audits read it; made once, because its clients live as long as the process. */
interface AuditedChain {
  readonly chain: EvmChain;
  readonly nodes: EvmNodes;
  readonly rules: ChainMintRules;
}

/**
 * Makes the rows of some blocks again from a node's answers, and compares them with the database. What the headers of a chain cannot prove
 * to whoever indexes it (senders, traces, and since Helicon the newest blocks' receipts) is found out by this alone.
 */
@Injectable()
export class EvmAuditor {
  private readonly chains = new Map<EvmChain, AuditedChain>();

  constructor(
    private readonly configured: EvmChains,
    private readonly index: EvmIndexRepository,
    private readonly rows: EvmAuditRepository,
    private readonly writer: EvmWriter,
    private readonly genesis: GenesisAllocations,
  ) {}

  /** Null where no EVM chain is configured. */
  async audit(network: string, signal: AbortSignal): Promise<AuditReport | null> {
    const reports: AuditReport[] = [];
    for (const chain of this.configured.all().filter((each) => each.network === network)) {
      const audit = new ChainAudit(this.open(chain), this.index, this.rows, this.writer, signal);
      reports.push(await audit.run());
    }
    return reports.length === 0 ? null : sumOf(reports);
  }

  private open(chain: EvmChain): AuditedChain {
    let opened = this.chains.get(chain);
    if (opened === undefined) {
      const nodes = chain.rpcUrls.map((url, index) => {
        const client = this.configured.connect([url]);
        return new EvmNode(client, chain, undefined, undefined, nameOfNode(index));
      });
      opened = { chain, nodes: new EvmNodes(nodes), rules: new ChainMintRules(chain, this.genesis) };
      this.chains.set(chain, opened);
    }
    return opened;
  }
}

function sumOf(reports: readonly AuditReport[]): AuditReport {
  const heights = reports.map(({ height }) => height);
  return {
    height: greatest(-1n, ...heights),
    comparisons: reports.reduce((sum, { comparisons }) => sum + comparisons, 0),
    skipped: reports.flatMap(({ skipped }) => skipped),
    differences: reports.flatMap(({ differences }) => differences),
  };
}

/** One facet of a block, as one node has it. */
interface View {
  readonly node: EvmNode;
  readonly batch: FacetBatch;
  readonly rows: AuditedRows;
}

interface Place {
  readonly height: bigint;
  readonly facet: Facet;
  /** Both for people. */
  readonly where: string;
}

/** One run for one chain. */
class ChainAudit {
  private readonly total = new Differences();
  private readonly outcomes: string[] = [];
  private readonly skipped: string[] = [];
  private readonly chain: EvmChain;
  /** Of the block that is compared. */
  private blocks = new Map<EvmNode, Promise<BlockWithMovements>>();

  constructor(
    private readonly audited: AuditedChain,
    private readonly index: EvmIndexRepository,
    private readonly rows: EvmAuditRepository,
    private readonly writer: EvmWriter,
    private readonly signal: AbortSignal,
  ) {
    this.chain = audited.chain;
  }

  async run(): Promise<AuditReport> {
    const checkpoint = await this.index.findCheckpoint(this.chain);
    if (checkpoint === undefined) this.skip('all of it: nothing is indexed yet');
    else await this.compareSome(checkpoint);
    return {
      height: checkpoint?.height ?? -1n,
      comparisons: this.total.comparisons,
      skipped: this.skipped,
      differences: [...this.outcomes, ...this.total.found],
    };
  }

  private async compareSome(checkpoint: Checkpoint): Promise<void> {
    const coverage = await this.index.findCoverage(this.chain);
    const facets = facetsOf(this.chain);
    const heights = sampleHeights(facets.map((facet) => covered(coverage, facet)));
    const highest = heights.at(-1);
    if (highest === undefined) {
      this.skip('all of it: no block is complete yet');
      return;
    }
    const nodes = await this.usableNodes({ ...checkpoint, height: highest, hash: null });
    if (this.chain.rpcUrls.length === 1) {
      this.skip('with another node than the index reads: there is only one');
    }
    for (const height of nodes.length === 0 ? [] : heights) {
      const present = facets.filter((facet) =>
        covered(coverage, facet).some((range) => includes(range, height)),
      );
      await this.compareBlock(nodes, height, present);
    }
  }

  /** Those that the index prefers come last. */
  private async usableNodes(position: Parameters<EvmNodes['survey']>[0]): Promise<EvmNode[]> {
    const { nodes } = this.audited;
    nodes.forget();
    try {
      const { usable, problems } = await nodes.survey(position, this.signal, 'everybody');
      for (const problem of problems) this.skip(problem);
      return nodes.all.toReversed().filter((node) => usable.some((each) => each.node === node));
    } catch (error) {
      this.signal.throwIfAborted();
      if (!(error instanceof IndexError)) throw error;
      this.skip(error.message);
      return [];
    }
  }

  private async compareBlock(
    nodes: readonly EvmNode[],
    height: bigint,
    facets: readonly Facet[],
  ): Promise<void> {
    this.blocks = new Map();
    for (const facet of facets) {
      const place = { height, facet, where: `${this.chain.name}, block ${height}, ${facet.name}` };
      const failures: string[] = [];
      const view = await this.firstView(nodes, place, failures);
      if (view === undefined) {
        this.skipped.push(`${place.where}: ${failures.join('; ')}`);
        continue;
      }
      const ours = await this.rows.rowsAt(this.chain, facet, height);
      const differences = new Differences();
      compareRows(differences, `${place.where} by ${view.node.name}`, ours, view.rows);
      // A row that was dropped or is made anew at this moment is no difference.
      if (differences.found.length > 0 && !(await this.isCovered(place))) continue;
      this.total.merge(differences);
      if (differences.found.length > 0) await this.settle(place, ours, view, nodes);
    }
  }

  private async firstView(
    nodes: readonly EvmNode[],
    place: Place,
    failures: string[],
  ): Promise<View | undefined> {
    for (const node of nodes) {
      const view = await this.viewOf(node, place, failures);
      if (view !== undefined) return view;
    }
    return undefined;
  }

  /** Has the block made anew when most of the configured nodes agree that it is another one. */
  private async settle(
    place: Place,
    ours: AuditedRows,
    first: View,
    nodes: readonly EvmNode[],
  ): Promise<void> {
    const { height, facet, where } = place;
    const failures: string[] = [];
    const views = [first];
    for (const node of nodes.filter((each) => each !== first.node)) {
      const view = await this.viewOf(node, place, failures);
      if (view !== undefined) views.push(view);
    }
    const agreeing = (rows: AuditedRows): View[] => views.filter((view) => areEqual(view.rows, rows));
    const answers = [
      `as in the database at ${namesOf(agreeing(ours))}`,
      ...[
        ...new Set(
          views.filter(({ rows }) => !areEqual(rows, ours)).map(({ rows }) => namesOf(agreeing(rows))),
        ),
      ].map((names) => `different at ${names}`),
      ...failures,
    ].join('; ');
    const nodeCount = Math.max(this.chain.rpcUrls.length, FEWEST_NODES);
    const majority = views.find(({ rows }) => 2 * agreeing(rows).length > nodeCount);
    if (majority === undefined) {
      this.outcomes.push(`${where}: ${answers}; left as it is, because most nodes do not agree`);
    } else if (areEqual(majority.rows, ours)) {
      this.outcomes.push(`${where}: ${answers}; the database is right`);
    } else {
      await this.writer.renew(this.chain, facet, { from: height, to: height });
      await this.writer.write({ chain: this.chain, facets: [majority.batch] });
      this.outcomes.push(`${where}: ${answers}; made anew as ${namesOf(agreeing(majority.rows))} have it`);
    }
  }

  private async isCovered({ height, facet }: Place): Promise<boolean> {
    const coverage = await this.index.findCoverage(this.chain);
    return covered(coverage, facet).some((range) => includes(range, height));
  }

  /** undefined for a node that does not have it, or nothing that can be believed; `failures` then has why. */
  private async viewOf(node: EvmNode, place: Place, failures: string[]): Promise<View | undefined> {
    try {
      const batch = await this.batchOf(node, place);
      return { node, batch, rows: rowsOfBatch(batch) };
    } catch (error) {
      this.signal.throwIfAborted();
      if (!isNodeError(error)) throw error;
      failures.push(`${node.name}: ${error.message}`);
      return undefined;
    }
  }

  private async batchOf(node: EvmNode, { height, facet }: Place): Promise<FacetBatch> {
    const reading = this.blocks.get(node) ?? this.read(node, height);
    this.blocks.set(node, reading);
    const block = await reading;
    if (facet.name === TRACES.name) return this.traces(node, block);
    const batch = batchesOf(this.chain, [block]).find((each) => each.facet.name === facet.name);
    if (batch === undefined) throw new RangeError(`${facet.name} does not come with blocks`);
    return batch;
  }

  private async read(node: EvmNode, height: bigint): Promise<BlockWithMovements> {
    const { signal } = this;
    const { client } = node;
    const rules = await this.audited.rules.read(client, signal);
    const range = { fromHeight: height, toHeight: height };
    const [block] = await readMovements({ client, traces: 'off', rules, ...range, signal });
    if (block !== undefined) return block;
    throw new EvmError('BLOCK_UNAVAILABLE', `the node does not have block ${height}`);
  }

  private async traces(node: EvmNode, { block }: BlockWithMovements): Promise<FacetBatch> {
    const range = { from: block.height, to: block.height };
    if (!mayHaveInternalMovements(block)) return traceBatch(this.chain, range, []);
    const upgrades = await this.audited.rules.upgradesAt(node.client, this.signal);
    return traceBatch(this.chain, range, [await traceBlock(node, block, upgrades, this.signal)]);
  }

  private skip(what: string): void {
    this.skipped.push(`${this.chain.name}: ${what}`);
  }
}

/** Rows of an older decoder are about to be made again. */
function covered(coverage: CoverageByFacet, { name, version }: Facet): HeightRange[] {
  return (coverage.get(name) ?? []).filter(
    (range) => range.status === 'complete' && range.version === version,
  );
}

function namesOf(views: readonly View[]): string {
  return views.length === 0 ? 'no node' : views.map(({ node }) => node.name).join(', ');
}
