import { Injectable, Logger } from '@nestjs/common';
import { WorkflowFailedError } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import {
  type IndexNftMetadataInput,
  makeIndexNftMetadataWorkflowId,
  NFTS_QUEUE,
} from '../../../workflows/contracts/index-nft-metadata.js';
import { NDS_NETWORK } from '../../../workflows/contracts/search-attributes.js';
import type { indexNftMetadataWorkflow } from '../../../workflows/index-nft-metadata.workflow.js';
import { BoundedMap } from '../../avalanche/bounded-map.js';
import { Config } from '../../platform/config/config.module.js';
import { ApiError } from '../../platform/http/errors/api-error.js';
import { TemporalClient } from '../../platform/temporal/temporal.module.js';
import type { NftKey } from './nft-token.js';
import { workerTimes } from '../../platform/temporal/worker-times.js';

/** Of the first request for a token, for its metadata. */
const WAIT_MS = 3_000;
const RETRY_MS = 1_000;
/** A token that many ask for is not sent to Temporal with each request while its turn has not come. */
const START_AGAIN_AFTER_MS = 5_000;
const MAX_REMEMBERED = 10_000;

/** Starts or joins the workflow that brings an NFT up to date. */
@Injectable()
export class NftWorkflowClient {
  private readonly logger = new Logger(NftWorkflowClient.name);
  private readonly startedAtMs = new BoundedMap<string, number>(MAX_REMEMBERED);

  constructor(
    private readonly config: Config,
    private readonly temporal: TemporalClient,
  ) {}

  /** Until it has ended, but not for long. It goes on by itself. */
  async runForAWhile(key: NftKey, requestId: string): Promise<void> {
    const { workflowId, runId } = await this.start(key, requestId);
    const handle = this.temporal.client.workflow.getHandle(workflowId, runId);
    const signal = AbortSignal.timeout(WAIT_MS);
    try {
      await this.temporal.wait(2 * WAIT_MS, signal, () => handle.result());
    } catch (error) {
      // The outcome is on record; and not to be done in time is no failure.
      if (signal.aborted || error instanceof WorkflowFailedError || error instanceof ApiError) return;
      throw error;
    }
  }

  /** No caller waits for it: the stored data is returned in the meantime. */
  startInBackground(key: NftKey, requestId: string): void {
    const id = makeIndexNftMetadataWorkflowId(inputOf(key));
    const startedAtMs = this.startedAtMs.get(id);
    if (startedAtMs !== undefined && performance.now() - startedAtMs < START_AGAIN_AFTER_MS) return;
    this.startedAtMs.set(id, performance.now());
    this.start(key, requestId).catch((error: unknown) => {
      this.startedAtMs.delete(id);
      this.logger.warn({ err: error, workflowId: id, requestId }, 'an NFT is not brought up to date');
    });
  }

  private async start(key: NftKey, requestId: string): Promise<{ workflowId: string; runId: string }> {
    const { heartbeatMs } = workerTimes(this.config.env).nfts;
    const input = { ...inputOf(key), timeouts: { heartbeatMs, retryMs: RETRY_MS } };
    const { workflowId, firstExecutionRunId: runId } = await this.temporal.start<
      typeof indexNftMetadataWorkflow
    >('indexNftMetadataWorkflow', {
      workflowId: makeIndexNftMetadataWorkflowId(input),
      taskQueue: NFTS_QUEUE,
      args: [input],
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: `token ${input.tokenId.slice(0, 20)} of ${input.address}, chain ${input.chainId}`,
      memo: { requestId },
      typedSearchAttributes: new TypedSearchAttributes([{ key: NDS_NETWORK, value: input.network }]),
    });
    return { workflowId, runId };
  }
}

function inputOf({ network, chainId, address, tokenId }: NftKey): Omit<IndexNftMetadataInput, 'timeouts'> {
  return {
    network,
    chainId: chainId.toString(),
    address,
    tokenId: tokenId.toString(),
  };
}
