import type { BlsSecretKey } from '../../../src/avalanche/bls/bls.js';
import { toHex } from '../../../src/avalanche/ids/hex.js';
import { idFromString } from '../../../src/avalanche/ids/id.js';
import { nodeIdFromString } from '../../../src/avalanche/ids/node-id.js';
import type { Id, ShortId } from '../../../src/avalanche/platformvm/ids.js';
import type { OutputOwners } from '../../../src/avalanche/platformvm/output.js';
import { InfoClient } from '../../../src/avalanche/rpc/info-client.js';
import { PlatformClient } from '../../../src/avalanche/rpc/platform-client.js';
import { JsonRpcClient } from '../../../src/avalanche/rpc/json-rpc-client.js';
import type { LocalNetwork } from '../local-network.js';
import { makeIdentity, type Identity } from './identities.js';
import { NodeApi } from './node-api.js';
import { CChain, XChain } from './other-chains.js';
import { ownedBy, SigningKey } from './signing-key.js';
import { nowSeconds } from './spend.js';
import { Wallet, type WalletOptions } from './wallet.js';
import { RPC_TIMEOUT_MS } from '../local-network.js';
import { AVAX } from '../../../src/avalanche/platformvm/state/chain-rules.js';

/** nAVAX. */

/** More than any transaction of the scenarios costs, before and after Etna; nodes accept more than they need. */
export const FEE = AVAX / 5n;

/** Context of all steps of a scenario. */
export interface Scenario {
  readonly node: NodeApi;
  readonly platform: PlatformClient;
  readonly networkId: number;
  readonly avaxAssetId: Id;
  readonly xChainId: Id;
  readonly cChainId: Id;
  readonly wallet: Wallet;
  readonly x: XChain;
  readonly c: CChain;
  readonly people: People;
  /** BLS keys of the genesis validators, whose signatures make Warp messages valid. */
  readonly genesisSigners: readonly BlsSecretKey[];
  /** Node ids of the genesis validators. */
  readonly genesisNodeIds: readonly ShortId[];
  /** Validators to be whose nodes run, as long as nobody stops them. */
  readonly guests: readonly Identity[];
  /** A validator to be without any node. */
  absentee(name: string): Identity;
  /** UNIX seconds; of the chain where it is not that of the clock. */
  readonly now: () => bigint;
  /** Called with the scenario's next step. */
  readonly step: (what: string) => void;
}

export interface People {
  /** Has all the money. */
  readonly funded: SigningKey;
  /** Own things together. */
  readonly trio: readonly [SigningKey, SigningKey, SigningKey];
  /** Only ever receive. */
  readonly receiver: SigningKey;
  readonly otherReceiver: SigningKey;
}

export function makePeople(): People {
  return {
    funded: SigningKey.funded(),
    trio: [SigningKey.named('first'), SigningKey.named('second'), SigningKey.named('third')],
    receiver: SigningKey.named('receiver'),
    otherReceiver: SigningKey.named('other receiver'),
  };
}

/** Guests for `startLocalNetwork`, the same ones every time. */
export function makeGuests(count: number, genesisSigners: readonly BlsSecretKey[]): Identity[] {
  return Array.from({ length: count }, (_, index) => makeIdentity(`guest ${index}`, genesisSigners));
}

export interface ScenarioParts {
  readonly url: string;
  readonly genesisSigners?: readonly BlsSecretKey[];
  readonly genesisNodeIds?: readonly ShortId[];
  readonly guests?: readonly Identity[];
  readonly step: (what: string) => void;
  /** When transactions do not go to the node, but into blocks of the scenario's own. */
  readonly makeWallet?: (options: WalletOptions) => Wallet;
}

export async function makeScenario(parts: ScenarioParts): Promise<Scenario> {
  const { url, genesisSigners = [], genesisNodeIds = [], guests = [], step } = parts;
  const { makeWallet = (options: WalletOptions) => new Wallet(options) } = parts;
  const rpc = new JsonRpcClient({ urls: [url], timeoutMs: RPC_TIMEOUT_MS });
  const node = new NodeApi(rpc);
  const info = new InfoClient(rpc);
  const people = makePeople();
  const networkId = await info.getNetworkId();
  const avaxAssetId = await readAvaxAssetId(node);
  const blockchainId = async (alias: string): Promise<Id> =>
    toHex(idFromString(await info.getBlockchainId({ alias })));
  const xChainId = await blockchainId('X');
  const cChainId = await blockchainId('C');
  const other = { node, networkId, avaxAssetId, key: people.funded };
  return {
    node,
    networkId,
    avaxAssetId,
    xChainId,
    cChainId,
    people,
    genesisSigners,
    genesisNodeIds,
    guests,
    step,
    now: nowSeconds,
    platform: new PlatformClient(rpc),
    wallet: makeWallet({ node, networkId, avaxAssetId, keys: [people.funded, ...people.trio] }),
    x: new XChain({ ...other, blockchainId: xChainId }),
    c: new CChain({ ...other, blockchainId: cChainId }),
    absentee: (name) => makeIdentity(name, genesisSigners),
  };
}

/** Node ids of a network's first nodes, which are those of the genesis. */
export function genesisNodeIdsOf({ nodes }: LocalNetwork, count: number): ShortId[] {
  return nodes.slice(0, count).map(({ nodeId }) => toHex(nodeIdFromString(nodeId)));
}

/** All addresses that own anything in a scenario, as `P-…`. */
export function addressesOf({ people, networkId }: Pick<Scenario, 'people' | 'networkId'>): string[] {
  const { funded, trio, receiver, otherReceiver } = people;
  return [funded, ...trio, receiver, otherReceiver].map((key) => key.toText(networkId));
}

/** Two of the three. */
export function trioOwners({ people }: Pick<Scenario, 'people'>, locktime = 0n): OutputOwners {
  return ownedBy(people.trio, { threshold: 2, locktime });
}

async function readAvaxAssetId(node: NodeApi): Promise<Id> {
  const answer = await node.call('P', 'getStakingAssetID', {});
  if (typeof answer !== 'object' || answer === null || !('assetID' in answer)) throw new Error('no asset');
  return toHex(idFromString(String(answer.assetID)));
}
