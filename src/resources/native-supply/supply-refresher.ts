import { Injectable, Logger } from '@nestjs/common';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { IncompleteSupplyError } from './incomplete-supply.error.js';
import { supplyFigures } from './supply.js';
import { SupplyRepository } from './supply.repository.js';
import { SupplyReader } from './supply-reader.js';
import { SupplyTotals } from './supply-totals.js';

/** Works the supply out again, and keeps the last complete one where that cannot be done. */
@Injectable()
export class SupplyRefresher {
  private readonly logger = new Logger(SupplyRefresher.name);

  constructor(
    private readonly reader: SupplyReader,
    private readonly supply: SupplyRepository,
    private readonly totals: SupplyTotals,
  ) {}

  /** Why it could not be done; null when it was. */
  async refresh(network: NetworkName, signal: AbortSignal): Promise<string | null> {
    try {
      const { chain, avaxAssetId, baselineHeight, ...parts } = await this.reader.read(network, signal);
      const before = await this.supply.find(network);
      await this.supply.save(network, supplyFigures(parts), baselineHeight);
      if (before?.baselineHeight != null && baselineHeight === null) {
        const wrong = await this.totals.findWrongBaseline(chain, avaxAssetId);
        if (wrong !== undefined) this.logger.error(`supply of ${network}: ${wrong}`);
      }
      return null;
    } catch (error) {
      signal.throwIfAborted();
      const problem = problemOf(error);
      if (problem === undefined) throw error;
      await this.supply.saveProblem(network, problem);
      return problem;
    }
  }
}

/** Why the supply cannot be worked out, in words; undefined for what is an error. */
export function problemOf(error: unknown): string | undefined {
  if (error instanceof IncompleteSupplyError) return error.message;
  return error instanceof RpcError
    ? `no node tells the balance of the burn address: ${error.message}`
    : undefined;
}
