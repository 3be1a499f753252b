import { Client, type WorkflowClient } from '@temporalio/client';
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

interface Index {
  readonly workflowType: string;
  readonly workflowId: string;
  readonly input: IndexPChainInput | IndexEvmChainInput;
  /** For people. */
  readonly summary: string;
}

/** Starts the index of each network's P-chain and of each EVM chain; one that runs already, e.g. paused, is left as it is. */
export async function startIndexing(
  connection: NativeConnection,
  env: Env,
  { networks, chains }: { networks: readonly string[]; chains: readonly EvmChain[] },
): Promise<void> {
  const { workflow } = new Client({ connection, namespace: env.TEMPORAL_NAMESPACE });
  const common = {
    timeouts: { advanceMs: env.INDEX_ADVANCE_MS, heartbeatMs: env.INDEX_HEARTBEAT_TIMEOUT_MS },
    maxHistoryLength: MAX_HISTORY_LENGTH,
  };
  const indexes = [
    ...networks.map((network) => indexOfPChain({ ...common, network })),
    ...chains.map(({ network, chainId, name }) =>
      indexOfEvmChain({ ...common, network, name, chainId: chainId.toString() }),
    ),
  ];
  for (const index of indexes) await start(workflow, index);
}

function indexOfPChain(input: IndexPChainInput): Index {
  return {
    workflowType: 'indexPChainWorkflow',
    workflowId: makeIndexPChainWorkflowId(input.network),
    input,
    summary: `index of the P-chain of ${input.network}`,
  };
}

function indexOfEvmChain(input: IndexEvmChainInput): Index {
  return {
    workflowType: 'indexEvmChainWorkflow',
    workflowId: makeIndexEvmChainWorkflowId(input),
    input,
    summary: `index of ${input.name} (EVM chain ${input.chainId}) of ${input.network}`,
  };
}

async function start(
  workflow: WorkflowClient,
  { workflowType, workflowId, input, summary }: Index,
): Promise<void> {
  await workflow.start(workflowType, {
    workflowId,
    taskQueue: INDEXING_QUEUE,
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: summary,
    typedSearchAttributes: [
      { key: NDS_NETWORK, value: input.network },
      { key: NDS_INDEX_STATE, value: 'running' },
    ],
  });
}
