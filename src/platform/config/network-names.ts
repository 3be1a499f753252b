/** Those of the contract, which every service has; `testnet` is the specification's second name of fuji. */
export const PUBLIC_NETWORKS = ['mainnet', 'fuji'] as const;

export type PublicNetwork = (typeof PUBLIC_NETWORKS)[number];

/** By which a network can be asked for: a public one, or one of NETWORKS_FILE. */
export type NetworkName = string;

export const PUBLIC_NETWORK_IDS: Readonly<Record<PublicNetwork, number>> = { mainnet: 1, fuji: 5 };

export function isPublicNetworkId(networkId: number): boolean {
  return Object.values(PUBLIC_NETWORK_IDS).includes(networkId);
}

export function isPublicNetwork(name: string): name is PublicNetwork {
  return PUBLIC_NETWORKS.some((each) => each === name);
}

/** Where the nodes of a network are configured. */
export function nodeSettingOf(name: NetworkName): string {
  return isPublicNetwork(name) ? `${name.toUpperCase()}_NODE_URL` : 'nodeUrls in NETWORKS_FILE';
}

/**
 * Names of NETWORKS_FILE, as the configuration has read them. The schemas of requests are made when their modules are loaded, before
 * there is a configuration, so they look here when they parse.
 */
const furtherNames = new Set<NetworkName>();

export function serveNetworkNames(names: readonly NetworkName[]): void {
  for (const name of names) furtherNames.add(name);
}

export function networkNames(): readonly NetworkName[] {
  return [...PUBLIC_NETWORKS, ...furtherNames];
}

export function isNetworkName(name: string): boolean {
  return networkNames().includes(name);
}
