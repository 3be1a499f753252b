import type { Id } from '../../platformvm/ids.js';
import { WARP_PRECOMPILE_ADDRESS } from '../../warp/send-warp-log.js';
import type { CallOptions, EvmClient } from '../rpc/evm-client.js';

/** getBlockchainID() of the warp precompile (avalanchego v1.15.0 graft/subnet-evm precompile/contracts/warp). */
const GET_BLOCKCHAIN_ID = '0x4213cf78';
const ID_RESULT = /^0x[0-9a-f]{64}$/;

/**
 * Which blockchain a node executes, as contracts on it would learn; undefined on chains without the precompile, and of nodes that
 * call no contracts.
 */
export async function askForBlockchainId(
  client: Pick<EvmClient, 'tryContracts'>,
  options: CallOptions = {},
): Promise<Id | undefined> {
  const calls = [{ to: WARP_PRECOMPILE_ADDRESS, data: GET_BLOCKCHAIN_ID }] as const;
  const [answer] = await client.tryContracts({ calls, ...options });
  return answer?.status === 'returned' && ID_RESULT.test(answer.data) ? answer.data.slice(2) : undefined;
}
