/**
 * Flags for one node that is a network of its own: without stake to wait for it decides alone. Its C-chain keeps every state
 * and traces; 1.14.2 and 1.15.0 know the same settings (graft/coreth plugin/evm/config).
 */
export const C_CHAIN_FLAGS: readonly string[] = [
  '--sybil-protection-enabled=false',
  `--chain-config-content=${encodeJson({
    C: {
      Config: encodeJson({
        'pruning-enabled': false,
        'eth-apis': [
          ...['eth', 'eth-filter', 'net', 'web3', 'debug-tracer'],
          ...['internal-eth', 'internal-blockchain', 'internal-transaction'],
        ],
      }),
    },
  })}`,
];

function encodeJson(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}
