import type { Logger } from '@nestjs/common';
import { metricMeter } from '@temporalio/activity';
import type { IndexPlace, IndexProgressRepository } from '../src/indexing/index-progress.repository.js';
import type { IndexState } from '../workflows/contracts/index-p-chain.js';
import { attemptVersion } from './attempt-version.js';

/** Keeps a state that no indexer reports; a stop is also an alarm, in the log and among the metrics. */
export async function recordIndexState({
  repository,
  logger,
  place,
  state,
  message,
  title,
}: {
  repository: IndexProgressRepository;
  logger: Logger;
  place: IndexPlace;
  state: IndexState;
  message: string | null;
  /** Which index, in words. */
  title: string;
}): Promise<void> {
  await repository.saveState(place, { state, message }, attemptVersion());
  if (state !== 'stopped') return;
  metricMeter
    .createCounter('nds_index_stops', 'stop', 'Times that an index had to stop and wait for a person')
    .add(1, { network: place.network, chain: place.chain });
  logger.error(`${title} has stopped: ${message ?? 'no reason given'}`);
}
