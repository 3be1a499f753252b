import { Injectable } from '@nestjs/common';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { supplyFigures } from './supply.js';
import { SupplyRepository } from './supply.repository.js';
import { IncompleteSupplyError, SupplyReader } from './supply-reader.js';

/** Works the supply out again, and keeps the last complete one where that cannot be done. */
@Injectable()
export class SupplyRefresher {
  constructor(
    private readonly reader: SupplyReader,
    private readonly supply: SupplyRepository,
  ) {}

  /** Why it could not be done; null when it was. */
  async refresh(network: NetworkName, signal: AbortSignal): Promise<string | null> {
    try {
      await this.supply.save(network, supplyFigures(await this.reader.read(network, signal)));
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

function problemOf(error: unknown): string | undefined {
  if (error instanceof IncompleteSupplyError) return error.message;
  return error instanceof RpcError
    ? `no node tells the balance of the burn address: ${error.message}`
    : undefined;
}
