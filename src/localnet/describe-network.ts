import type { LocalNetwork } from './local-network.js';
import { formatEnvironment, type ServiceEnvironment } from './service-environment.js';

/** What people are told about a network that is up. */
export function describeNetwork(
  { nodes }: Pick<LocalNetwork, 'nodes'>,
  dataDir: string,
  environment: ServiceEnvironment,
): string {
  return [
    '',
    `  A local network of ${nodes.length} avalanchego nodes is up (network id 12345).`,
    '',
    ...nodes.map(({ nodeId, url, stakingPort }) => `    ${nodeId}  ${url}  p2p 127.0.0.1:${stakingPort}`),
    '',
    `  Data and logs: ${dataDir}`,
    '  Start the service over it, in another terminal:',
    '',
    `${formatEnvironment(environment)} npm start`,
    '',
    '  Ctrl-C stops the nodes. The next start continues where they stop.',
    '',
  ].join('\n');
}
