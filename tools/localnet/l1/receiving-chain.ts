import { PRIMARY_NETWORK, type Id } from '../../../src/avalanche/platformvm/ids.js';
import type { JsonRpcClient } from '../../../src/avalanche/rpc/json-rpc-client.js';
import { ProposerVmClient } from '../../../src/avalanche/rpc/proposer-vm-client.js';
import { poll } from '../../../sandbox/local/processes/poll.js';
import { FEE, type Scenario } from '../scenario/context.js';
import { toText } from '../scenario/wallet.js';

/** Twice as long as an epoch of local networks, and slack. */
const EPOCH_TIMEOUT_MS = 90_000;
const EPOCH_INTERVAL_MS = 2_000;

/** A chain that verifies Warp messages. */
export interface ReceivingChain {
  readonly name: string;
  readonly blockchainId: Id;
  readonly subnetId: Id;
  /** Of a node that runs it. */
  readonly rpc: JsonRpcClient;
  /** Chains make none of their own accord. */
  makeBlock(): Promise<unknown>;
}

export function pChainOf({ node, wallet }: Pick<Scenario, 'node' | 'wallet'>): ReceivingChain {
  return {
    name: 'the P-chain',
    blockchainId: PRIMARY_NETWORK,
    subnetId: PRIMARY_NETWORK,
    rpc: node.rpc,
    makeBlock: () => wallet.run({ burn: FEE }, ({ base }) => ({ type: 'Base', ...base })),
  };
}

/** The P-chain height whose validator sets verify what the chain's next block receives (ACP-181). */
export async function readEpochHeight({ rpc, blockchainId }: ReceivingChain): Promise<bigint> {
  const epoch = await new ProposerVmClient(rpc).getCurrentEpoch({ blockchainId: toText(blockchainId) });
  return epoch.pChainHeight;
}

/** Lets blocks be made until the chain verifies with the sets of that height: an epoch ends with a block, not with its time. */
export async function untilEpochReaches(chain: ReceivingChain, height: bigint): Promise<void> {
  await poll({
    what: `epoch of ${chain.name} from height ${height} on`,
    timeoutMs: EPOCH_TIMEOUT_MS,
    intervalMs: EPOCH_INTERVAL_MS,
    ask: async () => {
      if ((await readEpochHeight(chain)) >= height) return true;
      await chain.makeBlock();
      return (await readEpochHeight(chain)) >= height ? true : undefined;
    },
  });
}
