import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
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
import { IndexedNetworks, primaryChains } from './indexed-networks.js';
import { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import { ApiError } from '../../platform/http/errors/api-error.js';
import { Refusals } from '../../platform/http/errors/refusals.js';
import { routePathOf } from '../../platform/http/requests/route-path.js';
import { NetworkSchema } from '../../platform/http/schemas/network.schema.js';
import type { IndexPlace } from '../engine/following/index-place.js';
import type { KnownPosition } from './index-lag.js';
import { IndexOverviews } from './index-overviews.js';

const INDEX_HEIGHT_HEADER = 'x-index-height';
const INDEX_TIME_HEADER = 'x-index-time';

const HEADERS = {
  [INDEX_HEIGHT_HEADER]: {
    description: 'Height of the newest block in the index of the chain; absent before the first.',
    schema: { type: 'integer', minimum: 0, example: 272 },
  },
  [INDEX_TIME_HEADER]: {
    description: 'Time of that block. UNIX seconds.',
    schema: { type: 'integer', minimum: 0, example: 1_795_307_538 },
  },
} as const;

/** Of the chain that the path names; those of several, such as interchain messages, have no one height. */
const LISTS_BY_CHAIN: ReadonlySet<string> = new Set([
  '/v1/networks/{network}/blockchains/{blockchainId}/utxos',
  '/v1/networks/{network}/blockchains/{blockchainId}/balances',
]);

/** Of the P-chain, whatever the path names. */
const P_CHAIN_LISTS: ReadonlySet<string> = new Set([
  '/v1/networks/{network}',
  '/v1/networks/{network}/subnets',
  '/v1/networks/{network}/subnets/{subnetId}',
  '/v1/networks/{network}/blockchains',
  '/v1/networks/{network}/blockchains/{blockchainId}',
  '/v1/networks/{network}/blockchains/{blockchainId}/transactions:listStaking',
  '/v1/networks/{network}/l1Validators',
  '/v1/networks/{network}/validators',
  '/v1/networks/{network}/validators/{nodeId}',
  '/v1/networks/{network}/validators/{nodeId}/cycles',
  '/v1/networks/{network}/delegators',
  '/v1/networks/{network}/rewards:listPending',
  '/v1/networks/{network}/rewards',
]);

/** `path` as the OpenAPI document writes it. */
function isListOfOneChain(path: string): boolean {
  return LISTS_BY_CHAIN.has(path) || P_CHAIN_LISTS.has(path);
}

/** Adds the headers of lists of one chain to the document. */
export function describeFreshness(document: OpenAPIObject): OpenAPIObject {
  for (const [path, { get }] of Object.entries(document.paths)) {
    const answer = get?.responses['200'];
    if (!isListOfOneChain(path) || answer === undefined || '$ref' in answer) continue;
    answer.headers = { ...answer.headers, ...HEADERS };
  }
  return document;
}

const PathSchema = z.object({ network: NetworkSchema, blockchainId: z.string() });

/** Adds to each list how far its index was when the list was read, and refuses lists of indexes that are far behind. */
@Injectable()
export class ListFreshness implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly host: HttpAdapterHost,
    private readonly overviews: IndexOverviews,
    private readonly indexedNetworks: IndexedNetworks,
    private readonly evmChains: EvmChains,
    private readonly refusals: Refusals,
  ) {}

  onModuleInit(): void {
    const server: FastifyInstance = this.host.httpAdapter.getInstance();
    server.addHook('preHandler', async (request, reply) => {
      if (isListOfOneChain(routePathOf(request))) await this.report(request, reply);
    });
  }

  private async report(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const isOfPChain = P_CHAIN_LISTS.has(routePathOf(request));
    const named: unknown = request.params;
    const path = PathSchema.safeParse(
      isOfPChain ? Object.assign({}, named, { blockchainId: P_CHAIN }) : named,
    );
    // The route itself refuses a wrong path.
    const chain = path.success ? await this.chainOf(path.data) : undefined;
    if (!path.success || chain === undefined) return;
    const place = { network: path.data.network, chain: this.indexOf(path.data.network, chain) };
    const position = await this.overviews.findPosition(place);
    switch (position.kind) {
      case 'never started':
        if (this.config.env.LIST_MAX_LAG_SECONDS > 0) this.refusals.refuse('index_lag', neverStarted(place));
        return;
      case 'unknown':
        return;
      case 'current':
      case 'catching up':
      case 'far behind': {
        const { height, time } = position.block;
        void reply.headers({ [INDEX_HEIGHT_HEADER]: String(height), [INDEX_TIME_HEADER]: time });
        if (position.kind === 'far behind') this.refusals.refuse('index_lag', farBehind(place, position));
      }
    }
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
}

function neverStarted({ network, chain }: IndexPlace): ApiError {
  return new ApiError(
    503,
    `${chain} of ${network} is not indexed: its index has not begun, or is not configured`,
  );
}

function farBehind({ network, chain }: IndexPlace, { block, tip, tipSeenAt }: KnownPosition): ApiError {
  const blockTime = new Date(block.time * 1_000).toISOString();
  return new ApiError(
    503,
    `the index of ${chain} on ${network} is far behind: at height ${block.height} of ${blockTime}, ` +
      `the chain at ${tip} when it was last asked, ${tipSeenAt.toISOString()}`,
  );
}
