import {
  ActivityFailure,
  isCancellation,
  log,
  proxyActivities,
  setCurrentDetails,
} from '@temporalio/workflow';
import type { NftActivities } from './contracts/activities.js';
import type { IndexedNft, IndexNftMetadataInput } from './contracts/index-nft-metadata.js';

/**
 * Asks one NFT's contract and fetches its metadata, as far as that is due. A host that fails is a result like any other, so
 * that what is tried again here is our own trouble: a node, the database, or too many who want to ask the same host.
 */
export async function indexNftMetadataWorkflow(input: IndexNftMetadataInput): Promise<IndexedNft> {
  const { indexNft } = proxyActivities<NftActivities>({
    // Several gateways, each with a time limit and a queue of its own.
    startToCloseTimeout: '5 minutes',
    heartbeatTimeout: input.timeouts.heartbeatMs,
    retry: { initialInterval: input.timeouts.retryMs, backoffCoefficient: 2, maximumAttempts: 4 },
  });
  try {
    const indexed = await indexNft(input);
    setCurrentDetails(`**${indexed.indexStatus ?? 'no NFT'}**`);
    return indexed;
  } catch (error) {
    if (error instanceof ActivityFailure && !isCancellation(error)) await recordFailure(input);
    throw error;
  }
}

async function recordFailure(input: IndexNftMetadataInput): Promise<void> {
  const { recordNftFailure } = proxyActivities<NftActivities>({
    startToCloseTimeout: '30 seconds',
    retry: { initialInterval: input.timeouts.retryMs, backoffCoefficient: 2, maximumAttempts: 5 },
  });
  try {
    await recordNftFailure(input);
  } catch (error) {
    log.warn('nobody will know that the metadata of an NFT could not be had', { ...input, error });
  }
}
