/** Methods that avalanchego 1.15 still serves, and logs as deprecated: nothing may call them. */
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
  'info.getTxFee',
  'wallet.issueTx',
];
