import { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import {
  type IndexEvmChainInput,
  makeIndexEvmChainWorkflowId,
} from '../../workflows/contracts/index-evm-chain.js';
import {
  INDEXING_QUEUE,
  type IndexPChainInput,
  makeIndexPChainWorkflowId,
} from '../../workflows/contracts/index-p-chain.js';
import { NDS_INDEX_STATE, NDS_NETWORK } from '../../workflows/contracts/search-attributes.js';
import type { Env } from '../config/env.schema.js';
import type { EvmChain } from '../evm-chains/evm-chain.js';

/** Well below the server's limit of 51,200 and its own suggestion; at one activity a minute, some ten hours. */
const MAX_HISTORY_LENGTH = 4_000;

/** Starts the index of each network; one that runs already, e.g. paused, is left as it is. */
export async function startIndexing(
  connection: NativeConnection,
  env: Env,
  networks: readonly string[],
): Promise<void> {
  const { workflow } = new Client({ connection, namespace: env.TEMPORAL_NAMESPACE });
  for (const network of networks) {
    const input: IndexPChainInput = {
      network,
      timeouts: { advanceMs: env.INDEX_ADVANCE_MS, heartbeatMs: env.INDEX_HEARTBEAT_TIMEOUT_MS },
      maxHistoryLength: MAX_HISTORY_LENGTH,
    };
    await workflow.start('indexPChainWorkflow', {
      workflowId: makeIndexPChainWorkflowId(network),
      taskQueue: INDEXING_QUEUE,
      args: [input],
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: `index of the P-chain of ${network}`,
      typedSearchAttributes: [
        { key: NDS_NETWORK, value: network },
        { key: NDS_INDEX_STATE, value: 'running' },
      ],
    });
  }
}

/** The same for each EVM chain. */
export async function startEvmIndexing(
  connection: NativeConnection,
  env: Env,
  chains: readonly EvmChain[],
): Promise<void> {
  const { workflow } = new Client({ connection, namespace: env.TEMPORAL_NAMESPACE });
  for (const { network, chainId, name } of chains) {
    const input: IndexEvmChainInput = {
      network,
      chainId: chainId.toString(),
      name,
      timeouts: { advanceMs: env.INDEX_ADVANCE_MS, heartbeatMs: env.INDEX_HEARTBEAT_TIMEOUT_MS },
      maxHistoryLength: MAX_HISTORY_LENGTH,
    };
    await workflow.start('indexEvmChainWorkflow', {
      workflowId: makeIndexEvmChainWorkflowId(input),
      taskQueue: INDEXING_QUEUE,
      args: [input],
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: `index of ${name} (EVM chain ${chainId}) of ${network}`,
      typedSearchAttributes: [
        { key: NDS_NETWORK, value: network },
        { key: NDS_INDEX_STATE, value: 'running' },
      ],
    });
  }
}
