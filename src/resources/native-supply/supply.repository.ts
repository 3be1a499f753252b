import { Injectable } from '@nestjs/common';
import type { NetworkName } from '../../platform/config/config.module.js';
import { Database } from '../../platform/database/database.js';
import type { SupplyFigures } from './supply.js';

/** What was last worked out, and why nothing newer was. */
export interface SupplyRecord {
  readonly figures: SupplyFigures | null;
  readonly updatedAt: Date | null;
  readonly problem: string | null;
}

/** The one row per network that answers are made of. */
@Injectable()
export class SupplyRepository {
  constructor(private readonly database: Database) {}

  async find(network: NetworkName): Promise<SupplyRecord | undefined> {
    const [row] = await this.database.query<SupplyRecord>({
      text: 'SELECT figures, updated_at AS "updatedAt", problem FROM native_supply WHERE network = $1',
      values: [network],
      onePlan: true,
    });
    return row;
  }

  async save(network: NetworkName, figures: SupplyFigures): Promise<void> {
    await this.database.execute({
      text: `INSERT INTO native_supply (network, figures, updated_at) VALUES ($1, $2, now())
        ON CONFLICT (network) DO UPDATE SET figures = EXCLUDED.figures, updated_at = EXCLUDED.updated_at, problem = NULL`,
      values: [network, JSON.stringify(figures)],
    });
  }

  /** The figures that there are stay. */
  async saveProblem(network: NetworkName, problem: string): Promise<void> {
    await this.database.execute({
      text: `INSERT INTO native_supply (network, problem) VALUES ($1, $2)
        ON CONFLICT (network) DO UPDATE SET problem = EXCLUDED.problem`,
      values: [network, problem],
    });
  }
}
