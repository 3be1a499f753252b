import type { Progress } from '../../../sandbox/local/processes/progress.js';
import type { Accounts } from './accounts.js';
import type { EvmNode } from './evm-node.js';
import type { EvmWallet } from './evm-wallet.js';

/** Context of all steps of the scenario. */
export interface CChainScenario {
  readonly url: string;
  readonly node: EvmNode;
  readonly wallet: EvmWallet;
  readonly accounts: Accounts;
  /** Called with the next step. */
  readonly step: Progress;
}
