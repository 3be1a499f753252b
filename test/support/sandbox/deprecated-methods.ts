/** What avalanchego 1.15 still serves, and says that it will not for long: nothing may depend on it. */
export const DEPRECATED_METHODS: readonly string[] = [
  'platform.getBalance',
  'platform.getSubnets',
  'platform.getBlockchains',
  'platform.getStake',
  'platform.getRewardUTXOs',
  'avm.getTxStatus',
  'avm.getBalance',
  'avm.getAllBalances',
  'avax.getAtomicTxStatus',
];
