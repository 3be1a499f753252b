import { evmChainKey, type EvmChainRef } from '../../../platform/database/chains.js';
import { SharedReading } from '../../../platform/networks/caches.js';
import type { CoverageByFacet } from '../../engine/coverage/coverage.repository.js';
import type { ChainChanges } from '../rows/chain-changes.js';
import type { EvmIndexRepository } from '../rows/evm-index.repository.js';
import type { Checkpoint } from './checkpoint.js';

export interface ChainRecord {
  readonly checkpoint: Checkpoint | undefined;
  readonly coverage: CoverageByFacet;
  /** How much this process had written of the chain before it was read. */
  readonly changes: number;
}

/**
 * Checkpoint and coverage of chains: read once for all facets of a chain, and again when this process has written of it, or after
 * `maxAgeMs`, because others may have. Who writes looks under the chain's lock, so that what is old does no harm.
 */
export class ChainRecords {
  private readonly readings = new Map<bigint, { changes: number; reading: SharedReading<ChainRecord> }>();

  constructor(
    private readonly repository: Pick<EvmIndexRepository, 'findCheckpoint' | 'findCoverage'>,
    private readonly changes: ChainChanges,
    private readonly maxAgeMs: number,
  ) {}

  get(chain: EvmChainRef): Promise<ChainRecord> {
    const key = evmChainKey(chain);
    const changes = this.changes.countOf(chain);
    let known = this.readings.get(key);
    if (known?.changes !== changes) {
      const reading = new SharedReading(this.maxAgeMs, () => this.read(chain, changes));
      known = { changes, reading };
      this.readings.set(key, known);
    }
    return known.reading.get();
  }

  /** The current records, for work that takes long. */
  readNow(chain: EvmChainRef): Promise<ChainRecord> {
    return this.read(chain, this.changes.countOf(chain));
  }

  private async read(chain: EvmChainRef, changes: number): Promise<ChainRecord> {
    const checkpoint = await this.repository.findCheckpoint(chain);
    return { checkpoint, coverage: await this.repository.findCoverage(chain), changes };
  }
}
