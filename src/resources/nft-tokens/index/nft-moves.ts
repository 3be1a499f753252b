import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { Address } from '../../../avalanche/evm/rpc/hex-values.js';
import { evmChainKey, evmChainName, type EvmChainRef } from '../../../platform/database/chains.js';
import { Database } from '../../../platform/database/database.js';
import type { HeightRange } from '../../../indexes/engine/coverage/height-range.js';
import { findCheckpoint } from '../../../indexes/engine/progress/checkpoints.js';
import { EvmTransfer } from '../../../indexes/evm/entities/evm-transfer.entities.js';
import { NftTokenEntity } from '../nft-token.entity.js';
import { markChanged, type NftChange } from './nft-changes.js';

/** As long as anybody asks for tokens of a chain. */
const LOOK_EVERY_MS = 2_000;
/** Tokens that moved before have been read since because of their age. */
const MAX_BLOCKS = 2_000n;

interface MovedRow {
  readonly address: Address;
  readonly tokenId: string;
  readonly height: string;
}

interface Look {
  /** Up to where the chain's blocks have been looked at. */
  readonly height: bigint;
  readonly atMs: number;
}

/**
 * Finds out which known tokens have moved in blocks that the index has written, a few seconds later, and without anything that
 * the index would have to do or wait for. Of a chain that is not indexed it knows nothing.
 */
@Injectable()
export class NftMoves {
  private readonly logger = new Logger(NftMoves.name);
  private readonly looks = new Map<bigint, Look>();

  constructor(
    @InjectRepository(NftTokenEntity) private readonly tokens: Repository<NftTokenEntity>,
    private readonly database: Database,
  ) {}

  /** Checks the newest blocks, in the background of a request. */
  checkSoon(chain: EvmChainRef): void {
    const key = evmChainKey(chain);
    const { height, atMs } = this.looks.get(key) ?? { height: -1n, atMs: -Infinity };
    if (performance.now() - atMs < LOOK_EVERY_MS) return;
    this.looks.set(key, { height, atMs: performance.now() });
    this.look(chain, height).then(
      (reached) => this.looks.set(key, { height: reached, atMs: performance.now() }),
      (error: unknown) => this.logger.warn({ err: error, ...chain }, 'moved NFTs are looked for later'),
    );
  }

  /** Marks known tokens that moved above that height, or among the newest blocks. The height of the newest one. */
  async look(chain: EvmChainRef, above: bigint): Promise<bigint> {
    const place = { network: chain.network, chain: evmChainName(chain.chainId) };
    const to = (await findCheckpoint(this.database, place))?.height ?? -1n;
    // Lower than before: the chain is indexed anew.
    const from = to - MAX_BLOCKS > above || above > to ? to - MAX_BLOCKS : above + 1n;
    if (from <= to) {
      await markChanged(this.database, chain, 'moved_height', await this.find(chain, { from, to }));
    }
    return to;
  }

  private async find(chain: EvmChainRef, { from, to }: HeightRange): Promise<NftChange[]> {
    const rows = await this.tokens
      .createQueryBuilder('t')
      .innerJoin(
        EvmTransfer,
        'm',
        'm.chainKey = t.chainKey AND m.contract = t.address AND m.tokenId = t.tokenId',
      )
      .select("'0x' || encode(t.address, 'hex')", 'address')
      .addSelect('t.tokenId', 'tokenId')
      .addSelect('max(m.height)', 'height')
      .where("m.chainKey = :key AND m.height BETWEEN :from AND :to AND m.kind IN ('ERC721', 'ERC1155')")
      .setParameters({ key: evmChainKey(chain), from, to })
      .groupBy('t.address, t.tokenId')
      .getRawMany<MovedRow>();
    return rows.map(({ address, tokenId, height }) => ({
      address,
      first: BigInt(tokenId),
      last: BigInt(tokenId),
      height: BigInt(height),
    }));
  }
}
