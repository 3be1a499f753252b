import {
  startLocalNetwork,
  type LocalNetwork,
  type LocalNetworkOptions,
} from '../../../tools/localnet/local-network.js';
import { fromGlobalSetup } from '../harness/env.js';
import { registerProcess } from '../harness/process-register.js';
import { onCleanup } from '../harness/cleanup.js';
import { createTestFolder } from '../harness/services.js';

/** Takes about a minute until the nodes are healthy; give the hook that calls this more time than a test has. */
export async function startLocalNetworkForTest(
  options: Partial<LocalNetworkOptions> = {},
): Promise<LocalNetwork> {
  const network = await startLocalNetwork({
    dataDir: createTestFolder('localnet'),
    onStarted: (_name, pid) => registerProcess(fromGlobalSetup('folder'), pid),
    ...options,
  });
  onCleanup(() => network.stop());
  return network;
}
