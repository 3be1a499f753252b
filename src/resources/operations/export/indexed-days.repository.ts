import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Between, MoreThan, type Repository } from 'typeorm';
import { IndexCoverageEntity } from '../../../indexes/engine/coverage/index-coverage.entity.js';
import { EvmBlockEntity } from '../../../indexes/evm/entities/evm-block.entities.js';
import { PRIMARY_NETWORK } from '../../../avalanche/platformvm/ids.js';
import { SubnetEntity } from '../../../indexes/p-chain/entities/subnet.entities.js';
import type { NetworkName } from '../../../platform/config/config.module.js';
import { evmChainKey, evmChainName } from '../../../platform/database/chains.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';

/** Reads where indexes begin. */
@Injectable()
export class IndexedDaysRepository {
  constructor(
    @InjectRepository(IndexCoverageEntity) private readonly coverage: Repository<IndexCoverageEntity>,
    @InjectRepository(EvmBlockEntity) private readonly blocks: Repository<EvmBlockEntity>,
    @InjectRepository(SubnetEntity) private readonly subnets: Repository<SubnetEntity>,
  ) {}

  /** Time of the earliest indexed block of any of the chains, UNIX seconds; undefined when nothing is indexed yet. */
  async firstTime(chains: readonly EvmChain[]): Promise<number | undefined> {
    const times = await Promise.all(chains.map((chain) => this.firstTimeOf(chain)));
    const known = times.filter((time) => time !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  /** Time of the genesis of an indexed P-chain, UNIX seconds. */
  async genesisTime(network: NetworkName): Promise<number | undefined> {
    const chain = await this.subnets.findOneBy({ network, subnetId: PRIMARY_NETWORK });
    return chain?.blockTime;
  }

  /** A genesis of the time 0 does not count: that of C-chains means nothing. */
  private async firstTimeOf(chain: EvmChain): Promise<number | undefined> {
    const { network, chainId } = chain;
    const lowest = await this.coverage.findOne({
      select: { fromHeight: true },
      where: { network, chain: evmChainName(chainId), facet: 'base', status: 'complete' },
      order: { fromHeight: 'ASC' },
    });
    if (lowest === null) return undefined;
    const { fromHeight } = lowest;
    const height = fromHeight === 0n ? Between(0n, 1n) : fromHeight;
    const block = await this.blocks.findOne({
      select: { blockTime: true },
      where: { chainKey: evmChainKey(chain), height, blockTime: MoreThan(0) },
      order: { height: 'ASC' },
    });
    return block?.blockTime;
  }
}
