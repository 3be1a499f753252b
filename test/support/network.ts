import type { NetworkConfig } from '../../src/platform/config/config.module.js';
import { Network } from '../../src/platform/networks/network.js';
import { NODE_PATIENCE_MS } from './node-patience.js';

/** A network as configured with these nodes and nothing else, but for what is given. The caller closes it. */
export function networkAt(
  nodeUrls: readonly string[],
  { timeoutMs = NODE_PATIENCE_MS, ...config }: Partial<NetworkConfig> & { timeoutMs?: number } = {},
): Network {
  const plain = { isEnabled: true, networkId: 5, sandbox: false, peers: [] };
  return new Network({ name: 'fuji', nodeUrls, ...plain, ...config }, { timeoutMs });
}
