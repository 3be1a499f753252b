import type { EvmLog } from '../../../../avalanche/evm/blocks/block.js';
import type { Address, Hash } from '../../../../avalanche/evm/rpc/hex-values.js';
import { MESSENGER_TOPICS } from '../../../../avalanche/icm/messenger-event.js';
import { METADATA_UPDATE_TOPICS } from '../../../../avalanche/evm/nft/metadata-updates.js';
import { NATIVE_COIN_MINTED_TOPIC, NATIVE_MINTER } from '../../../../avalanche/evm/transfers/transfers.js';
import {
  SEND_WARP_MESSAGE_TOPIC,
  WARP_PRECOMPILE_ADDRESS,
} from '../../../../avalanche/warp/send-warp-log.js';
import { type EvmChain, MESSENGER, type WatchedSet } from '../../../../platform/evm-chains/evm-chain.js';

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

/** Contracts of one kind of set; undefined for all contracts at once. */
const CONTRACTS: Readonly<
  Record<WatchedSet, (chain: Pick<EvmChain, 'messengers'>) => readonly Address[] | undefined>
> = {
  messages: ({ messengers }) => messengers,
  warp: () => [WARP_PRECOMPILE_ADDRESS],
  mints: () => [NATIVE_MINTER],
  registry: () => undefined,
  tokens: () => undefined,
};

const EVENTS: Readonly<Record<WatchedSet, Pick<LogSet, 'version' | 'topics' | 'fromGenesis'>>> = {
  messages: { version: 1, topics: Object.values(MESSENGER_TOPICS), fromGenesis: true },
  warp: { version: 1, topics: [SEND_WARP_MESSAGE_TOPIC], fromGenesis: true },
  mints: { version: 1, topics: [NATIVE_COIN_MINTED_TOPIC], fromGenesis: true },
  registry: {
    version: 1,
    topics: ['0xa5eed93d951a9603d5f7c0a57de79a299dd3dbd5e51429be209d8053a42ab43a'], // AddProtocolVersion(uint256,address)
    fromGenesis: true,
  },
  // What was said of a token before anybody has asked for it does not matter.
  tokens: { version: 1, topics: Object.values(METADATA_UPDATE_TOPICS), fromGenesis: false },
};

/** The sets that are kept of a chain. */
export function logSetsOf(chain: Pick<EvmChain, 'watch' | 'messengers'>): LogSet[] {
  return chain.watch.flatMap((kind): LogSet[] => {
    const contracts = CONTRACTS[kind](chain);
    if (contracts === undefined) return [{ ...EVENTS[kind], name: kind, address: undefined }];
    return contracts.map((address) => ({ ...EVENTS[kind], name: nameOf(kind, address), address }));
  });
}

function nameOf(kind: WatchedSet, address: Address): string {
  return kind !== 'messages' || address === MESSENGER ? kind : `${kind}@${address}`;
}

/** Tells quickly which sets a log belongs to: hardly any belongs to one. */
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
