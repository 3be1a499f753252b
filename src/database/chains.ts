/** Name of the P-chain's index: in its tables' `chain` columns, its workflow's id and the health answer. */
export const P_CHAIN = 'p-chain';

/** The same for an EVM chain. */
export function evmChainName(chainId: bigint): string {
  return `evm-${chainId}`;
}
