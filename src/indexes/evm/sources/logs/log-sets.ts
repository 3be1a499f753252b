import type { EvmLog } from '../../../../avalanche/evm/blocks/block.js';
import type { Address, Hash } from '../../../../avalanche/evm/rpc/hex-values.js';
import { MESSENGER_TOPICS } from '../../../../avalanche/icm/messenger-event.js';
import { TRANSFERRER_TOPICS } from '../../../../avalanche/icm/transferrer-event.js';
import { METADATA_UPDATE_TOPICS } from '../../../../avalanche/evm/nft/metadata-updates.js';
import { type EvmChain, MESSENGER } from '../../../../platform/evm-chains/evm-chain.js';

/** Logs that are kept as they are, for others to make something of. */
export interface LogSet {
  /** E.g. `messages`. A set of another contract has another name: it is filled in by itself then. */
  readonly name: string;
  /** Rises with the topics. */
  readonly version: number;
  /** Any of them as the first topic. */
  readonly topics: readonly Hash[];
  /** Undefined for whichever contract. */
  readonly address: Address | undefined;
  /**
   * First topics of logs by whichever contract that are kept, too, where they are in one transaction with a log of the set: receipts
   * have them, and a node's search for them over all contracts would be long.
   */
  readonly companions: ReadonlySet<Hash>;
  /** Whether the chain's whole past is wanted, wherever the index of its blocks begins. */
  readonly fromGenesis: boolean;
}

const NO_COMPANIONS: ReadonlySet<Hash> = new Set();
/** Whom a message moves tokens for is known by the contract that sends it. */
const TRANSFERRERS: ReadonlySet<Hash> = new Set(Object.values(TRANSFERRER_TOPICS));

/** The name of the set of a messenger's logs. */
export function messageSetName(messenger: Address): string {
  return messenger === MESSENGER ? 'messages' : `messages@${messenger}`;
}

/** The sets that are kept of a chain. */
export function logSetsOf({ watch, messengers }: Pick<EvmChain, 'watch' | 'messengers'>): LogSet[] {
  return watch.flatMap((kind): LogSet[] => {
    switch (kind) {
      case 'messages':
        return messengers.map((address) => ({
          name: messageSetName(address),
          // Before version 2 without companions.
          version: 2,
          topics: Object.values(MESSENGER_TOPICS),
          address,
          companions: TRANSFERRERS,
          fromGenesis: true,
        }));
      case 'tokens':
        // Updates from before anybody has asked for a token do not matter.
        return [
          {
            name: kind,
            version: 1,
            topics: Object.values(METADATA_UPDATE_TOPICS),
            address: undefined,
            companions: NO_COMPANIONS,
            fromGenesis: false,
          },
        ];
    }
  });
}

/** Finds quickly the sets that a log belongs to: hardly any belongs to one. */
export class LogSorter {
  private readonly byTopic = new Map<Hash, LogSet[]>();

  constructor(sets: readonly LogSet[]) {
    for (const set of sets) {
      for (const topic of set.topics) this.byTopic.set(topic, [...(this.byTopic.get(topic) ?? []), set]);
    }
  }

  /** The logs of one transaction that each set keeps, in their order. */
  sort<T extends Pick<EvmLog, 'address' | 'topics'>>(logs: readonly T[]): ReadonlyMap<LogSet, readonly T[]> {
    const found = new Map<LogSet, T[]>();
    for (const log of logs) {
      for (const set of this.setsOf(log)) {
        const own = found.get(set);
        if (own === undefined) found.set(set, [log]);
        else own.push(log);
      }
    }
    for (const [set, own] of found) {
      const companions = companionsOf(set, logs);
      if (companions.length === 0) continue;
      const kept = new Set([...own, ...companions]);
      found.set(
        set,
        logs.filter((log) => kept.has(log)),
      );
    }
    return found;
  }

  private setsOf({ address, topics: [first] }: Pick<EvmLog, 'address' | 'topics'>): readonly LogSet[] {
    const sets = first === undefined ? undefined : this.byTopic.get(first);
    if (sets === undefined) return [];
    return sets.filter((set) => set.address === undefined || set.address === address);
  }
}

/** Of the logs of a transaction in which the set has some: those that are kept with them. */
export function companionsOf<T extends Pick<EvmLog, 'topics'>>(
  { companions }: LogSet,
  logs: readonly T[],
): T[] {
  if (companions.size === 0) return [];
  return logs.filter(({ topics: [first] }) => first !== undefined && companions.has(first));
}
