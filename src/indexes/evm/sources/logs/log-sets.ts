import type { EvmLog } from '../../../../avalanche/evm/blocks/block.js';
import type { Address, Hash } from '../../../../avalanche/evm/rpc/hex-values.js';
import { MESSENGER_TOPICS } from '../../../../avalanche/icm/messenger-event.js';
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
  /** Whether the chain's whole past is wanted, wherever the index of its blocks begins. */
  readonly fromGenesis: boolean;
}

/** The sets that are kept of a chain. */
export function logSetsOf({ watch, messengers }: Pick<EvmChain, 'watch' | 'messengers'>): LogSet[] {
  return watch.flatMap((kind): LogSet[] => {
    switch (kind) {
      case 'messages':
        return messengers.map((address) => ({
          name: address === MESSENGER ? kind : `${kind}@${address}`,
          version: 1,
          topics: Object.values(MESSENGER_TOPICS),
          address,
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

  setsOf({ address, topics: [first] }: Pick<EvmLog, 'address' | 'topics'>): readonly LogSet[] {
    const sets = first === undefined ? undefined : this.byTopic.get(first);
    if (sets === undefined) return [];
    return sets.filter((set) => set.address === undefined || set.address === address);
  }
}
