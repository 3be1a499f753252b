import type { RecordedValidatorFee } from '../../../sandbox/recording/p-chain-recording.js';
import type { Scenario } from './context.js';
import type { HistoryChain } from './history-chain.js';
import type { HistoryVm } from './history-vm.js';

/** A scenario on a P-chain whose blocks it makes itself, some time in the past. */
export interface HistoryScenario extends Scenario {
  readonly chain: HistoryChain;
  readonly vm: HistoryVm;
}

export interface History {
  readonly description: string;
  /** UNIX seconds. */
  readonly genesisTime: number;
  /** As in avalanchego's `--upgrade-file`; those left out are long past, but for Helicon. */
  readonly upgrades: Readonly<Record<string, string>>;
  /** Null: as on a local network. */
  readonly validatorFee: RecordedValidatorFee | null;
  readonly run: (scenario: HistoryScenario) => Promise<void>;
}

/** UNIX seconds of midnight UTC. */
export function midnight(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / 1000;
}
