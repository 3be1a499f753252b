import { proxyActivities } from '@temporalio/workflow';
import type { EvmIndexActivities } from './contracts/activities.js';
import type { IndexEvmChainInput } from './contracts/index-evm-chain.js';

const { advanceEvmChain } = proxyActivities<EvmIndexActivities>({ startToCloseTimeout: '1 minute' });

export async function indexEvmChainWorkflow({ chainId, timeouts }: IndexEvmChainInput): Promise<void> {
  await advanceEvmChain({ chainId, durationMs: timeouts.advanceMs });
}
