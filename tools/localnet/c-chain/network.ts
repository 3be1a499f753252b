/** Keeps every state and traces; coreth of 1.14.2 and 1.15.0 and subnet-evm know the same settings (graft/coreth plugin/evm/config). */
const ARCHIVE = {
  'pruning-enabled': false,
  'eth-apis': [
    ...['eth', 'eth-filter', 'net', 'web3', 'debug-tracer'],
    ...['internal-eth', 'internal-blockchain', 'internal-transaction'],
  ],
};

/** Makes a node an archive of an EVM chain, which has upgrades besides those of the network when there is an `upgrade`. */
export function archiveFlag(chain: string, upgrade?: object): string {
  const upgrades = upgrade === undefined ? {} : { Upgrade: encodeJson(upgrade) };
  return `--chain-config-content=${encodeJson({ [chain]: { Config: encodeJson(ARCHIVE), ...upgrades } })}`;
}

/** Flags for one node that is a network of its own: without stake to wait for it decides alone. */
export const C_CHAIN_FLAGS: readonly string[] = ['--sybil-protection-enabled=false', archiveFlag('C')];

function encodeJson(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}
