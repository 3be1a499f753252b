import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import {
  type BlockchainRow,
  blockchainsOf,
  type SubnetListRequest,
  type SubnetRow,
  subnets,
} from './subnet-list.js';

export interface SubnetWithBlockchains extends SubnetRow {
  readonly blockchains: readonly BlockchainRow[];
}

@Injectable()
export class SubnetRepository {
  constructor(private readonly database: Database) {}

  /**
   * Ends early, at least after one subnet, where the genesis data would become more than `maxGenesisBytes`; `isCut` says so. When
   * the first subnet alone passes the limit, its blockchains beyond it come without genesis data.
   */
  async list(
    request: SubnetListRequest,
    maxGenesisBytes: number,
  ): Promise<{ rows: SubnetWithBlockchains[]; isCut: boolean }> {
    const rows = await this.database.query<SubnetRow>(subnets(request));
    const subnetIds = rows.map((row) => row.subnet_id);
    const blockchains = await this.database.query<BlockchainRow>(
      blockchainsOf(request.network, subnetIds, maxGenesisBytes),
    );
    return cut(rows, blockchains, maxGenesisBytes);
  }
}

function cut(
  rows: readonly SubnetRow[],
  blockchains: readonly BlockchainRow[],
  maxGenesisBytes: number,
): { rows: SubnetWithBlockchains[]; isCut: boolean } {
  const bySubnet = new Map(rows.map((row) => [row.subnet_id.toString('hex'), [] as BlockchainRow[]]));
  const tooLarge = new Set<string>();
  for (const blockchain of blockchains) {
    const subnetId = blockchain.subnet_id.toString('hex');
    bySubnet.get(subnetId)?.push(blockchain);
    if (Number(blockchain.genesis_bytes) > maxGenesisBytes) tooLarge.add(subnetId);
  }
  const end = rows.findIndex((row, index) => index > 0 && tooLarge.has(row.subnet_id.toString('hex')));
  const shown = end === -1 ? rows : rows.slice(0, end);
  return {
    rows: shown.map((row) => ({ ...row, blockchains: bySubnet.get(row.subnet_id.toString('hex')) ?? [] })),
    isCut: end !== -1,
  };
}
