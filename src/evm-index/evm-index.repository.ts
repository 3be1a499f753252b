import { Injectable } from '@nestjs/common';
import type { Address, Hash, Hex } from '../avalanche/evm/hex-values.js';
import { evmChainKey, evmChainName, type EvmChainRef } from '../database/chains.js';
import { Database } from '../database/database.js';
import { type Checkpoint, type PackedState, unpackState } from './checkpoint.js';

interface CheckpointRow {
  height: string;
  block_id: Buffer;
  block_time: string;
  state: PackedState;
}

/** What the index reads back of its own rows. */
@Injectable()
export class EvmIndexRepository {
  constructor(private readonly database: Database) {}

  async findCheckpoint({ network, chainId }: EvmChainRef): Promise<Checkpoint | null> {
    const [row] = await this.database.query<CheckpointRow>({
      text: 'SELECT height, block_id, block_time, state FROM index_checkpoints WHERE network = $1 AND chain = $2',
      values: [network, evmChainName(chainId)],
    });
    if (row === undefined) return null;
    return {
      height: BigInt(row.height),
      hash: toHex(row.block_id),
      blockTime: Number(row.block_time),
      ...unpackState(row.state),
    };
  }

  async findBlockHash(chain: EvmChainRef, height: bigint): Promise<Hash | undefined> {
    const [row] = await this.database.query<{ hash: Buffer }>({
      text: 'SELECT hash FROM evm_blocks WHERE chain_key = $1 AND height = $2',
      values: [evmChainKey(chain).toString(), height.toString()],
    });
    return row === undefined ? undefined : toHex(row.hash);
  }

  /** Those of the contracts whose metadata is on record. */
  async findKnownTokens(chain: EvmChainRef, contracts: readonly Address[]): Promise<Address[]> {
    const rows = await this.database.query<{ contract: Buffer }>({
      text: 'SELECT contract FROM evm_tokens WHERE chain_key = $1 AND contract = ANY($2::bytea[])',
      values: [
        evmChainKey(chain).toString(),
        contracts.map((contract) => Buffer.from(contract.slice(2), 'hex')),
      ],
    });
    return rows.map(({ contract }) => toHex(contract));
  }
}

function toHex(bytes: Buffer): Hex {
  return `0x${bytes.toString('hex')}`;
}
