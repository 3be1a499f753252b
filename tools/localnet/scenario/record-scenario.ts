import type { BlsSecretKey } from '../../../src/avalanche/bls/bls.js';
import { fromHex, toHex } from '../../../src/avalanche/ids/hex.js';
import { idToString } from '../../../src/avalanche/ids/id.js';
import { nodeIdFromString } from '../../../src/avalanche/ids/node-id.js';
import { blockId } from '../../../src/avalanche/platformvm/codec/block.js';
import type { Id, ShortId } from '../../../src/avalanche/platformvm/ids.js';
import type { UnsignedTx } from '../../../src/avalanche/platformvm/transaction.js';
import { JsonRpcClient } from '../../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../../src/avalanche/rpc/platform-client.js';
import type { Progress } from '../../../sandbox/local/processes/progress.js';
import type { PChainRecording } from '../../../sandbox/recording/p-chain-recording.js';
import type { GuestIdentity, LocalNetwork } from '../local-network.js';
import { addressesOf, genesisNodeIdsOf, makeScenario, type Scenario } from './context.js';
import type { Identity } from './identities.js';
import { HistoryChain } from './history-chain.js';
import type { History } from './history.js';
import { HistoryVm } from './history-vm.js';
import { PChainRecorder } from './p-chain-recorder.js';
import { Wallet, type Funded, type Order, type WalletOptions } from './wallet.js';
import { RPC_TIMEOUT_MS } from '../local-network.js';

/** Lets a scenario happen on a network and records the P-chain meanwhile, from block 0 to the end. */
export async function recordScenario(given: {
  network: LocalNetwork;
  genesisSigners: readonly BlsSecretKey[];
  guests: readonly Identity[];
  describe: (scenario: Scenario) => Promise<string>;
  progress: Progress;
  run: (scenario: Scenario) => Promise<void>;
}): Promise<PChainRecording> {
  const { network, genesisSigners, guests, describe, progress, run } = given;
  const steps: { recorder?: PChainRecorder } = {};
  const step = (what: string): void => {
    progress(what);
    if (steps.recorder !== undefined) steps.recorder.step = what;
  };
  const genesisNodeIds = genesisNodeIdsOf(network, genesisSigners.length);
  const { url } = network;
  const scenario = await makeScenario({ url, genesisSigners, genesisNodeIds, guests, step });
  const recorder = new PChainRecorder(scenario.node, addressesOf(scenario));
  steps.recorder = recorder;
  const ended = new AbortController();
  const following = recorder.follow(ended.signal);
  try {
    await Promise.race([run(scenario), following]);
  } finally {
    ended.abort();
    await following.catch(() => undefined); // whatever it was is thrown above
  }
  const avaxAssetId = idToString(fromHex(scenario.avaxAssetId));
  const description = await describe(scenario);
  return recorder.finish({
    description,
    genesis: null,
    avaxAssetId,
    validatorFee: null,
    hasIndex: true,
  });
}

/** Lets the history happen on a P-chain VM without a network and records every state of it. */
export async function recordHistory(given: {
  folder: string;
  genesisSigners: readonly BlsSecretKey[];
  history: History;
  progress: Progress;
}): Promise<PChainRecording> {
  const { folder, genesisSigners, history, progress } = given;
  const { description, genesisTime, upgrades, validatorFee } = history;
  const vm = await HistoryVm.start({ folder, genesisTime, upgrades, validatorFee, progress });
  try {
    const parts: { recorder?: PChainRecorder; chain?: HistoryChain } = {};
    const step = (what: string): void => {
      progress(what);
      if (parts.recorder !== undefined) parts.recorder.step = what;
    };
    const scenario = await makeScenario({
      url: vm.url,
      genesisSigners,
      genesisNodeIds: await readNodeIds(vm.url),
      step,
      makeWallet: (options) => new BlockWallet(options, () => parts.chain),
    });
    const recorder = new PChainRecorder(scenario.node, addressesOf(scenario));
    parts.recorder = recorder;
    await recorder.catchUp();
    const [firstBlock = new Uint8Array()] = recorder.blockBytes();
    const chain = new HistoryChain(vm, {
      genesis: { id: blockId(firstBlock), height: 0n, time: genesisTime },
      banffTime: Date.parse(upgrades['banffTime'] ?? '') / 1000 || 0, // without a date it is long past
      onDecided: () => recorder.catchUp(),
    });
    parts.chain = chain;
    await history.run({ ...scenario, chain, vm, now: () => BigInt(chain.time) });
    const avaxAssetId = idToString(fromHex(scenario.avaxAssetId));
    const genesis = toHex(await vm.genesis());
    return await recorder.finish({ description, genesis, avaxAssetId, validatorFee, hasIndex: false });
  } finally {
    await vm.stop();
  }
}

/** Puts each transaction that is run into a block of its own. */
class BlockWallet extends Wallet {
  constructor(
    options: WalletOptions,
    private readonly chain: () => HistoryChain | undefined,
  ) {
    super(options);
  }

  override async run(order: Order, make: (funded: Funded) => UnsignedTx): Promise<Id> {
    const transaction = await this.sign(order, make);
    await this.chain()?.standard(transaction);
    return transaction.id;
  }
}

/** Of the genesis validators, in an order that is always the same. */
async function readNodeIds(url: string): Promise<ShortId[]> {
  const platform = new PlatformClient(new JsonRpcClient({ urls: [url], timeoutMs: RPC_TIMEOUT_MS }));
  const validators = await platform.getCurrentValidators();
  return validators.map(({ nodeId }) => toHex(nodeIdFromString(nodeId))).sort();
}

/** Arguments of a network with which the identity has a node. */
export function toGuest({ tls, blsKey }: Identity): GuestIdentity {
  return { certPem: tls.certPem, keyPem: tls.keyPem, blsSecretKey: blsKey.toBytes() };
}
