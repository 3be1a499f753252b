import 'reflect-metadata';
import { Controller, Get, Header, Module, Param } from '@nestjs/common';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { Config, ConfigModule } from '../../src/platform/config/config.module.js';
import { PRIMARY_CHAINS } from '../../src/platform/database/chains.js';
import { DatabaseModule } from '../../src/platform/database/database.module.js';
import type { Statement } from '../../src/platform/database/database.js';
import { EvmChainsModule } from '../../src/platform/evm-chains/evm-chains.module.js';
import { DelegatorsModule } from '../../src/resources/delegators/delegators.module.js';
import { JSON_CONTENT_TYPE } from '../../src/platform/http/adapter/lossless-json.js';
import { NetworksModule } from '../../src/platform/networks/networks.module.js';
import { InterchainMessagesModule } from '../../src/resources/interchain-messages/interchain-messages.module.js';
import { SubnetsModule } from '../../src/resources/subnets/subnets.module.js';
import { UtxosModule } from '../../src/resources/utxos/utxos.module.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { EMPTY_ID } from '../../src/avalanche/ids/id.js';
import { utxoId } from '../../src/avalanche/platformvm/utxo-id.js';
import { idToHex, type ShortIdHex, shortIdToHex } from '../../src/avalanche/ids/text.js';
import { PRIMARY_NETWORK } from '../../src/avalanche/platformvm/ids.js';
import { StakingTransactionsModule } from '../../src/resources/staking-transactions/staking-transactions.module.js';
import { L1ValidatorsModule } from '../../src/resources/l1-validators/l1-validators.module.js';
import { RewardsModule } from '../../src/resources/rewards/rewards.module.js';
import { ValidationCyclesModule } from '../../src/resources/validation-cycles/validation-cycles.module.js';
import { ValidatorsModule } from '../../src/resources/validators/validators.module.js';
import { GENERATED_NODE } from '../support/http/generated-lists.js';
import { listRepositories } from '../support/http/list-statements.js';
import { serveModule } from '../support/harness/serve-module.js';

/** The SQL of the first pages that lists.ts asks the lists for. */
function firstPage(
  {
    balances,
    blockchains,
    cycles,
    delegators,
    l1Validators,
    messages,
    paidRewards,
    pendingRewards,
    stakingTransactions,
    subnets,
    utxos,
    validators,
  }: ReturnType<typeof listRepositories>,
  list: string,
  whale: ShortIdHex,
): Statement | undefined {
  const page = { network: 'mainnet', sortOrder: 'desc', after: undefined, limit: 11 } as const;
  const chain = PRIMARY_CHAINS.find((letter) => list.startsWith(`utxos-${letter}`));
  if (chain !== undefined) {
    const addresses = list.endsWith('of-an-address') ? [whale] : undefined;
    const filters = { addresses, minAmount: 0n, includeSpent: false, spendsKnown: { since: 0n } };
    return utxos.statement({ ...page, chain, filters, sortBy: 'timestamp' }, []);
  }
  switch (list) {
    case 'subnets':
      return subnets.statement(page);
    case 'blockchains':
      return blockchains.statement(page);
    case 'l1-validators':
      return l1Validators.statement({ ...page, filters: { includeInactive: false } });
    case 'validation-cycles':
      return cycles.statement({ ...page, nodeId: GENERATED_NODE });
    case 'validations-of-a-node':
      return validators.withKey({
        ...page,
        filters: { nodes: { ids: [GENERATED_NODE] } },
        sortBy: 'blockIndex',
      });
    case 'validators':
      return validators.withKey({ ...page, filters: {}, sortBy: 'blockIndex' });
    case 'active-validators':
      return validators.withKey({
        ...page,
        filters: { status: 'active', subnetId: idToHex(EMPTY_ID) },
        sortBy: 'uptimePerformance',
      });
    case 'delegators':
      return delegators.statement({ ...page, filters: {} });
    case 'delegators-of-an-address':
      return delegators.statement({ ...page, filters: { rewardAddresses: [whale] } });
    case 'pending-rewards-of-an-address':
      return pendingRewards.statement({ ...page, filters: { addresses: [whale] } });
    case 'historical-rewards-of-an-address':
      return paidRewards.statement({ ...page, filters: { addresses: [whale] } });
    case 'staking-transactions':
      return stakingTransactions.statement({ ...page, filters: {} });
    case 'staking-transactions-of-an-address':
      return stakingTransactions.statement({ ...page, filters: { addresses: [whale] } });
    case 'balances-of-an-address':
      return balances.statement({
        network: 'mainnet',
        chain: 'P',
        chainId: PRIMARY_NETWORK,
        addresses: [whale],
        at: Math.floor(Date.now() / 1000),
        isPast: false,
        spendsKnown: { since: 0n },
      });
    case 'messages-of-an-address':
      return messages.statement({ networks: ['mainnet'], address: whale, after: undefined, limit: 11 });
    default:
      return undefined;
  }
}

/** Leaves every value as the text that Postgres sent. */
const AS_TEXT = { getTypeParser: () => (value: unknown) => value };

/** The same SQL, the bare driver, and nothing made of the rows. */
@Controller({ path: 'bare', version: '1' })
class BareController {
  private readonly pool: pg.Pool;

  private readonly lists: ReturnType<typeof listRepositories>;

  constructor(
    { env }: Config,
    private readonly dataSource: DataSource,
  ) {
    this.lists = listRepositories(dataSource);
    this.pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: env.DATABASE_POOL_SIZE });
  }

  /** The least that any answer from Postgres can take: over the service's pool, and through all of its HTTP. */
  @Get('select-one')
  async selectOne(): Promise<unknown> {
    return this.dataSource.query('SELECT 1');
  }

  @Get(':list/:whale')
  @Header('content-type', JSON_CONTENT_TYPE)
  async list(@Param('list') list: string, @Param('whale') whale: string): Promise<string> {
    const statement = firstPage(this.lists, list, shortIdToHex(fromHex(whale)));
    if (statement === undefined) throw new Error(`no list ${list}`);
    const rows = await this.query(statement);
    if (list.startsWith('staking-transactions')) return JSON.stringify([rows, await this.outputs(rows)]);
    if (list !== 'subnets') return JSON.stringify(rows);
    const ids = rows.map((row) => String(row['subnet_id']).slice(2));
    const blockchains = this.lists.subnets.blockchainsOf('mainnet', ids, 8 * 1024 * 1024);
    return JSON.stringify([rows, await this.query(blockchains)]);
  }

  /** The outputs that transactions made. */
  private outputs(rows: readonly Record<string, unknown>[]): Promise<Record<string, unknown>[]> {
    const ids = rows.map((row) => String(row['tx_id']).slice(2));
    const outputs = ids.flatMap((id) => [utxoId(id, 0), utxoId(id, 1)]);
    return this.query(this.lists.utxos.statementOf('mainnet', outputs));
  }

  private async query({ text, values }: Statement): Promise<Record<string, unknown>[]> {
    const { rows } = await this.pool.query<Record<string, unknown>>({
      text,
      values: [...values],
      types: AS_TEXT,
    });
    return rows;
  }
}

@Module({
  imports: [
    ConfigModule,
    DatabaseModule,
    NetworksModule,
    EvmChainsModule,
    SubnetsModule,
    ValidatorsModule,
    ValidationCyclesModule,
    L1ValidatorsModule,
    RewardsModule,
    StakingTransactionsModule,
    DelegatorsModule,
    UtxosModule,
    InterchainMessagesModule,
  ],
  controllers: [BareController],
})
class ListsModule {}

await serveModule(ListsModule);
