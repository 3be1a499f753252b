import { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import {
  INDEXING_QUEUE,
  type IndexChainInput,
  makeIndexWorkflowId,
} from '../../../workflows/contracts/index-chain.js';
import { NDS_INDEX_STATE, NDS_NETWORK } from '../../../workflows/contracts/search-attributes.js';
import type { indexChainWorkflow } from '../../../workflows/index-chain.workflow.js';
import type { Env } from '../../platform/config/env.schema.js';
import { workerTimes } from '../../platform/temporal/worker-times.js';
import type { ConfiguredIndex } from './configured-indexes.js';

/** Well below the server's limit of 51,200 and its own suggestion; at one activity a minute, some ten hours. */
const MAX_HISTORY_LENGTH = 4_000;

/** Starts each index; one that runs already, e.g. paused, is left as it is. */
export async function startIndexing(
  connection: NativeConnection,
  env: Env,
  indexes: readonly ConfiguredIndex[],
): Promise<void> {
  const { workflow } = new Client({ connection, namespace: env.TEMPORAL_NAMESPACE });
  for (const { network, chain, title } of indexes) {
    const input: IndexChainInput = {
      network,
      chain,
      title,
      timeouts: workerTimes(env).indexing,
      maxHistoryLength: MAX_HISTORY_LENGTH,
    };
    await workflow.start<typeof indexChainWorkflow>('indexChainWorkflow', {
      workflowId: makeIndexWorkflowId(input),
      taskQueue: INDEXING_QUEUE,
      args: [input],
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: title,
      typedSearchAttributes: [
        { key: NDS_NETWORK, value: network },
        { key: NDS_INDEX_STATE, value: 'running' },
      ],
    });
  }
}
