import type { EvmLog } from '../avalanche/evm/block.js';
import type { Address, Hash } from '../avalanche/evm/hex-values.js';
import { MESSENGER_TOPICS } from '../avalanche/icm/messenger-event.js';
import { NATIVE_COIN_MINTED_TOPIC, NATIVE_MINTER } from '../avalanche/evm/transfers.js';
import { type EvmChain, MESSENGER, type WatchedSet } from '../evm-chains/evm-chain.js';

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

const WARP: Address = '0x0200000000000000000000000000000000000005';

const TOKEN_TOPICS: readonly Hash[] = [
  '0xf8e1a15aba9398e019f0b49df1a4fde98ee17ae345cb5f6b5e2c27f5033e8ce7', // MetadataUpdate(uint256)
  '0x6bd5c950a8d8df17f772f5af37cb3655737899cbf903264b9795592da439661c', // BatchMetadataUpdate(uint256,uint256)
  '0x6bb7ff708619ba0610cba295a58592e0451dee2622938c8755667688daf3529b', // URI(string,uint256)
];

/** Contracts of one kind of set; undefined for all contracts at once. */
const CONTRACTS: Readonly<
  Record<WatchedSet, (chain: Pick<EvmChain, 'messengers'>) => readonly Address[] | undefined>
> = {
  messages: ({ messengers }) => messengers,
  warp: () => [WARP],
  mints: () => [NATIVE_MINTER],
  registry: () => undefined,
  tokens: () => undefined,
};

const EVENTS: Readonly<Record<WatchedSet, Pick<LogSet, 'version' | 'topics' | 'fromGenesis'>>> = {
  messages: { version: 1, topics: Object.values(MESSENGER_TOPICS), fromGenesis: true },
  warp: {
    version: 1,
    topics: ['0x56600c567728a800c0aa927500f831cb451df66a7af570eb4df4dfbf4674887d'], // SendWarpMessage(address,bytes32,bytes)
    fromGenesis: true,
  },
  mints: { version: 1, topics: [NATIVE_COIN_MINTED_TOPIC], fromGenesis: true },
  registry: {
    version: 1,
    topics: ['0xa5eed93d951a9603d5f7c0a57de79a299dd3dbd5e51429be209d8053a42ab43a'], // AddProtocolVersion(uint256,address)
    fromGenesis: true,
  },
  // What was said of a token before anybody has asked for it does not matter.
  tokens: { version: 1, topics: TOKEN_TOPICS, fromGenesis: false },
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
