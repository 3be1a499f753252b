/** Which index: what its rows, its workflow and its line in the health answer are known by. */
export interface IndexPlace {
  readonly network: string;
  /** E.g. `p-chain`, `evm-43114`. */
  readonly chain: string;
}
