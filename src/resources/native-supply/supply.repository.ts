import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { NetworkName } from '../../platform/config/config.module.js';
import { NativeSupply } from './native-supply.entity.js';
import type { SupplyFigures } from './supply.js';

/** The one row per network that answers are made of. */
@Injectable()
export class SupplyRepository {
  constructor(@InjectRepository(NativeSupply) private readonly supply: Repository<NativeSupply>) {}

  async find(network: NetworkName): Promise<NativeSupply | undefined> {
    return (await this.supply.findOneBy({ network })) ?? undefined;
  }

  async save(network: NetworkName, figures: SupplyFigures, baselineHeight: bigint | null): Promise<void> {
    const row = { network, figures, baselineHeight, updatedAt: () => 'now()', problem: null };
    await this.supply.upsert(row, ['network']);
  }

  /** The figures that there are stay. */
  async saveProblem(network: NetworkName, problem: string): Promise<void> {
    await this.supply.upsert({ network, problem }, ['network']);
  }
}
