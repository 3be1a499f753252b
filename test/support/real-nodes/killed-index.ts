import type { DataSource } from 'typeorm';
import { freePort } from '../../../sandbox/local/processes/ports.js';
import type { LocalNode } from '../../../tools/localnet/local-node.js';
import { openDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { Scrape } from '../harness/scrape.js';
import { TestService } from '../harness/service.js';
import { SlowLink } from '../harness/slow-link.js';
import { CHAINS, heightOf, INDEXING_ENV } from '../p-chain/indexed-chains.js';
import { withoutNode } from '../p2p/connect-to.js';

/** A node's answers then take a tenth of a second and more: a few dozen blocks are fetched for seconds. */
const SLOW_BYTES_PER_SECOND = 8_000;

type Chain = (typeof CHAINS)[number];

/** The P- and the X-chain in the index of a service without a node, whose workers die. */
export class KilledIndex {
  private constructor(
    private readonly service: TestService,
    private readonly links: readonly SlowLink[],
    readonly database: DataSource,
  ) {}

  static async start(
    nodes: readonly LocalNode[],
    { hasHelicon }: { hasHelicon: boolean },
  ): Promise<KilledIndex> {
    const peers = await Promise.all(
      nodes.map(async ({ nodeId, stakingPort }) => {
        const link = await SlowLink.to(`http://127.0.0.1:${stakingPort}`);
        return { nodeId, link, port: Number(new URL(link.url).port) };
      }),
    );
    // Without a node nobody has the rules of a local network: only of the sandbox's is Helicon taken to be one.
    const rules = { SANDBOX_NETWORKS: hasHelicon ? 'fuji' : '' };
    const env = { ...INDEXING_ENV, ...rules, ...withoutNode(peers) };
    const service = await TestService.start({ nodeUrl: '', workers: 0, env });
    const links = peers.map(({ link }) => link);
    return new KilledIndex(service, links, await openDatabase(service.databaseUrl));
  }

  /** Of the last block that is on record; -1 before there is one. */
  async height(chain: Chain): Promise<number> {
    const [row] = await this.database.query<{ height: string }[]>(
      'SELECT height FROM index_checkpoints WHERE chain = $1',
      [chain],
    );
    return Number(row?.height ?? -1);
  }

  /** With some of both chains on record. */
  async killWhileItFollows(): Promise<void> {
    const worker = await this.service.startWorker();
    await eventually('some of both chains', async () => (await heightOf(this.database)) > 0);
    await worker.kill();
  }

  /** As soon as validators have served some of the chain's blocks that are not on record. */
  async killWhileItFetches(chain: Chain): Promise<void> {
    this.setSpeed(SLOW_BYTES_PER_SECOND);
    const port = await freePort();
    const worker = await this.service.startWorker({ METRICS_ADDRESS: String(port) });
    await eventually(`blocks of the ${chain} are fetched`, async () => {
      const scrape = await Scrape.of(`http://127.0.0.1:${port}`);
      return (scrape.value('nds_chain_containers_total', { chain }) ?? 0) > 0;
    });
    await worker.kill();
  }

  async finish(tips: Readonly<Record<Chain, number>>): Promise<void> {
    this.setSpeed(Infinity);
    await this.service.startWorker();
    for (const chain of CHAINS) {
      await eventually(`the ${chain} is whole`, async () => (await this.height(chain)) >= tips[chain]);
    }
  }

  private setSpeed(bytesPerSecond: number): void {
    for (const link of this.links) link.bytesPerSecond = bytesPerSecond;
  }
}
