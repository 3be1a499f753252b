import { MESSENGER_ADDRESS } from './l1/messenger.js';
import type { L1 } from './l1/start-l1.js';
import type { LocalNetwork } from './local-network.js';
import { toText } from './scenario/wallet.js';
import { formatEnvironment, type ServiceEnvironment } from './service-environment.js';

/** Description of a running network, for people. */
export function describeNetwork(
  { nodes }: Pick<LocalNetwork, 'nodes'>,
  dataDir: string,
  environment: ServiceEnvironment,
  l1?: L1,
): string {
  return [
    '',
    `  A local network of ${nodes.length} avalanchego nodes is up (network id 12345).`,
    '',
    ...nodes.map(({ nodeId, url, stakingPort }) => `    ${nodeId}  ${url}  p2p 127.0.0.1:${stakingPort}`),
    '',
    ...(l1 === undefined ? [] : describeL1(l1)),
    `  Data and logs: ${dataDir}`,
    '  Start the service over it, in another terminal:',
    '',
    `${formatEnvironment(environment)} npm start`,
    '',
    '  Ctrl-C stops the nodes. The next start continues where they stop.',
    '',
  ].join('\n');
}

function describeL1({ chain, nodes, subnetId, conversionTxId, manager }: L1): string[] {
  return [
    `  The last ${nodes.length} of them validate an L1:`,
    '',
    `    RPC URL               ${chain.node.endpoint}`,
    `    EVM chain id          ${chain.chainId}`,
    `    Blockchain id         ${toText(chain.blockchainId)}`,
    `    Subnet id             ${toText(subnetId)}`,
    `    Conversion            ${toText(conversionTxId)}`,
    `    Validator manager     ${manager.address}`,
    `    Messenger             ${MESSENGER_ADDRESS}, on the C-chain too`,
    `    Account with money    ${chain.funded.address}, as on the C-chain`,
    '',
  ];
}
