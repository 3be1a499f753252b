import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Config, type NetworkName } from '../../platform/config/config.module.js';
import {
  evmChainName,
  P_CHAIN,
  PRIMARY_CHAIN_NAMES,
  type PrimaryChain,
  X_CHAIN,
} from '../../platform/database/chains.js';
import { IndexedNetworks, primaryChains } from '../../platform/database/indexed-networks.js';
import { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import { ApiError } from '../../platform/http/errors/api-error.js';
import { Refusals } from '../../platform/http/errors/refusals.js';
import { routePathOf } from '../../platform/http/requests/route-path.js';
import { NetworkSchema } from '../../platform/http/schemas/network.schema.js';
import type { IndexPlace } from '../engine/following/index-place.js';
import { SharedReadings } from '../../platform/networks/caches.js';
import { IndexFreshnessRepository } from './index-overviews.js';
import { type KnownIndex, lagSeconds } from './index-overview.js';

export const INDEX_HEIGHT_HEADER = 'x-index-height';
export const INDEX_TIME_HEADER = 'x-index-time';

/** Lists of one chain; those of several, such as interchain messages, have no one height. */
const LISTS: ReadonlySet<string> = new Set([
  '/v1/networks/{network}/subnets',
  '/v1/networks/{network}/validators',
  '/v1/networks/{network}/delegators',
  '/v1/networks/{network}/blockchains/{blockchainId}/utxos',
]);

/** `path` as the document writes it. */
export function isListOfOneChain(path: string): boolean {
  return LISTS.has(path);
}

const PathSchema = z.object({ network: NetworkSchema, blockchainId: z.string().default(P_CHAIN) });

/** A list that is a second older than its headers say would still be true to them. */
const REREAD_AFTER_MS = 1_000;

type Standing = Awaited<ReturnType<IndexFreshnessRepository['find']>>;

/** Tells with each list how far its index was when the list was read, and refuses lists of indexes that are far behind. */
@Injectable()
export class IndexFreshness implements OnModuleInit {
  private readonly known = new SharedReadings<Standing>(REREAD_AFTER_MS);

  constructor(
    private readonly config: Config,
    private readonly host: HttpAdapterHost,
    private readonly repository: IndexFreshnessRepository,
    private readonly indexedNetworks: IndexedNetworks,
    private readonly evmChains: EvmChains,
    private readonly refusals: Refusals,
  ) {}

  onModuleInit(): void {
    const server: FastifyInstance = this.host.httpAdapter.getInstance();
    server.addHook('preHandler', async (request, reply) => {
      if (isListOfOneChain(routePathOf(request))) await this.tell(request, reply);
    });
  }

  private async tell(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const path = PathSchema.safeParse(request.params);
    // What is wrong with the path is said by its route.
    const chain = path.success ? await this.chainOf(path.data) : undefined;
    if (!path.success || chain === undefined) return;
    const place = { network: path.data.network, chain: this.indexOf(path.data.network, chain) };
    const index = await this.find(place);
    if (index === undefined) return;
    const { LIST_MAX_LAG_SECONDS: maxLag } = this.config.env;
    if (index === 'not begun') {
      if (maxLag > 0) this.refuse(notBegun(place));
      return;
    }
    void reply.headers({ [INDEX_HEIGHT_HEADER]: String(index.height), [INDEX_TIME_HEADER]: index.blockTime });
    if (maxLag > 0 && lagSeconds(index, Date.now() / 1_000) > maxLag) this.refuse(farBehind(place, index));
  }

  private refuse(why: ApiError): never {
    this.refusals.count('index_lag');
    throw why;
  }

  /** Undefined where there is no such chain. */
  private async chainOf({
    network,
    blockchainId,
  }: z.output<typeof PathSchema>): Promise<PrimaryChain | undefined> {
    return primaryChains(await this.indexedNetworks.get(network)).get(blockchainId);
  }

  /** The index that has the chain, or would have it. */
  private indexOf(network: NetworkName, chain: PrimaryChain): string {
    switch (chain) {
      case 'P':
        return P_CHAIN;
      case 'X':
        return X_CHAIN;
      case 'C': {
        const cChain = this.evmChains.cChainOf(network);
        return cChain === undefined ? PRIMARY_CHAIN_NAMES.C : evmChainName(cChain.chainId);
      }
    }
  }

  private find(place: IndexPlace): Promise<Standing> {
    return this.known.get(`${place.network}:${place.chain}`, () => this.repository.find(place));
  }
}

function notBegun({ network, chain }: IndexPlace): ApiError {
  return new ApiError(
    503,
    `${chain} of ${network} is not indexed: its index has not begun, or is not configured`,
  );
}

function farBehind(
  { network, chain }: IndexPlace,
  { height, blockTime, tip, heardAt }: KnownIndex,
): ApiError {
  const time = (seconds: number) => new Date(seconds * 1_000).toISOString();
  return new ApiError(
    503,
    `the index of ${chain} on ${network} is far behind: at height ${height} of ${time(blockTime)}, ` +
      `the chain at ${tip} when it was last asked, ${time(heardAt)}`,
  );
}
