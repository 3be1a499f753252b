import { beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { z } from 'zod';
import { WEI_PER_NANO_AVAX } from '../../src/avalanche/evm/blocks/atomic-transactions.js';
import { avmGenesisOf } from '../../src/avalanche/avm/genesis/genesis.js';
import { BlockServers } from '../../src/avalanche/chain-sync/block-servers.js';
import { VertexWalk } from '../../src/avalanche/chain-sync/vertex-walk.js';
import { parseAvmBlock } from '../../src/avalanche/avm/codec/block.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { unpackRpcHex } from '../../src/avalanche/ids/rpc-hex.js';
import { parseBlockLink } from '../../src/avalanche/platformvm/codec/block.js';
import { sha256Id } from '../../src/avalanche/platformvm/codec/sha256.js';
import { toUpgradeTimes } from '../../src/avalanche/platformvm/state/upgrade-times.js';
import { AvmClient } from '../../src/avalanche/rpc/avm-client.js';
import { InfoClient } from '../../src/avalanche/rpc/info-client.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../src/avalanche/rpc/platform-client.js';
import { AcceptedChain } from '../../src/indexes/engine/sources/accepted-chain.js';
import { makeAccounts, toLowerCase } from '../../tools/localnet/c-chain/accounts.js';
import { EvmNode } from '../../tools/localnet/c-chain/evm-node.js';
import { EvmWallet } from '../../tools/localnet/c-chain/evm-wallet.js';
import { archiveFlag } from '../../tools/localnet/c-chain/network.js';
import { LOCAL_CHAIN_ID } from '../../tools/localnet/c-chain/scenario.js';
import { ensureAvalanchegoBinaries } from '../../tools/localnet/binaries.js';
import { type LocalNetwork, MAX_NODES } from '../../tools/localnet/local-network.js';
import { addressesOf, makeGuests, makePeople, type Scenario } from '../../tools/localnet/scenario/context.js';
import { isHeliconActive } from '../../tools/localnet/scenario/current-renewals.js';
import { guestsNeeded, runShortScenario } from '../../tools/localnet/scenario/current-scenario.js';
import { readGenesisSigners } from '../../tools/localnet/scenario/l1-messages.js';
import { recordScenario, toGuest } from '../../tools/localnet/scenario/record-scenario.js';
import { makeServiceEnvironment } from '../../tools/localnet/service-environment.js';
import { stakingFlags } from '../../tools/localnet/staking-flags.js';
import { runXScenario } from '../../tools/localnet/x-chain/x-scenario.js';
import type { PChainRecording } from '../../sandbox/recording/p-chain-recording.js';
import { SANDBOX_NETWORK_ID } from '../../sandbox/sandbox.js';
import { makeRefreshNativeSupplyScheduleId } from '../../workflows/contracts/scheduled.js';
import { type CoinsAtNode, coinsAtNode } from '../support/real-nodes/coins-at-node.js';
import { compareEnd, comparePChain } from '../support/p-chain/compare-p-chain.js';
import { InMemoryVertexStore } from '../support/chain-sync/in-memory-vertices.js';
import { consumptionAtNode } from '../support/p-chain/consuming-block.js';
import { eventually, PATIENCE_MS } from '../support/harness/eventually.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import { advanceUntilDone, createEvmIndex } from '../support/evm/evm-index.js';
import { ListApi } from '../support/http/list-api.js';
import { networkAt } from '../support/network.js';
import { Database } from '../../src/platform/database/database.js';
import { IndexedPChain } from '../../src/indexes/p-chain/indexed-p-chain.js';
import {
  makeCanonicalValidatorSet,
  type ValidatorSetEntry,
} from '../../src/avalanche/warp/canonical-validator-set.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { advanceBriefly, advanceToTip, digestTables } from '../support/indexer.js';
import { createIndexer } from '../support/p-chain/p-chain-index.js';
import { createXIndexer } from '../support/x-chain/x-chain-index.js';
import { packVertex } from '../support/x-chain/vertices.js';
import { listUtxos } from '../support/real-nodes/listed-utxos.js';
import { connectTo, peersSetting } from '../support/p2p/connect-to.js';
import { KilledIndex } from '../support/real-nodes/killed-index.js';
import { startLocalNetworkForTest } from '../support/real-nodes/local-network.js';
import { CHAIN_ALIASES, outputsAtNode, spendableAlone } from '../support/real-nodes/outputs-at-node.js';
import { startReplay } from '../support/p-chain/p-chain-ledger.js';
import { triggerSchedule } from '../support/harness/schedules.js';
import { TestService } from '../support/harness/service.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createTestFolder } from '../support/harness/services.js';
import { silentLogger } from '../support/silent-logger.js';
import { toWei } from '../support/evm/wei.js';

/** On an idle machine nearly every height has some; on a busy one the chain is often ahead before all is asked. */
const MIN_ANSWERS = 10;
/** Nobody listens there. */
const NOBODY = 'http://127.0.0.1:1';
/** So that few blocks take many answers. */
const ANSWER_BLOCKS = 2;
/** Least amounts that the scenario spends. */
const MIN_SPENT = { P: 60, X: 25, C: 2 };

/** The set that signatures are verified with, and the nodes behind it. */
function canonical(entries: readonly ValidatorSetEntry[]) {
  const { validators, digest, totalWeight } = makeCanonicalValidatorSet(entries);
  return { digest, totalWeight, nodeIds: validators.map(({ nodeIds }) => nodeIds.toSorted()) };
}

const RefreshSchema = z.object({ problem: z.string().nullable() });

const GENESIS_WEI = 360_000_000n * 10n ** 18n;

/** Without a chain in front. */
const ADDRESSES = addressesOf({ people: makePeople(), networkId: SANDBOX_NETWORK_ID }).map((address) =>
  address.slice('P-'.length),
);

describe('the P-, X- and C-chain of real avalanchego nodes', () => {
  let network: LocalNetwork;
  let scenario: Scenario;
  let recording: PChainRecording;
  let atFirst: CoinsAtNode;
  let killed: KilledIndex;

  beforeAll(async () => {
    const binaries = await ensureAvalanchegoBinaries(() => undefined);
    const genesisSigners = readGenesisSigners(binaries.stakingFolder, MAX_NODES);
    const guests = makeGuests(guestsNeeded(binaries), genesisSigners);
    network = await startLocalNetworkForTest({
      binaries,
      guests: guests.map(toGuest),
      flags: [
        ...stakingFlags(binaries, 10),
        archiveFlag('C'),
        `--bootstrap-ancestors-max-containers-sent=${ANSWER_BLOCKS}`,
      ],
    });
    recording = await recordScenario({
      network,
      genesisSigners,
      guests,
      describe: async () => '',
      progress: () => undefined,
      run: async (begun) => {
        scenario = begun;
        atFirst = await coins([]);
        await Promise.all([runShortScenario(scenario, moveOnOtherChains), killIndexMeanwhile()]);
      },
    });
  });

  const moveOnOtherChains = async (): Promise<void> => {
    await runXScenario(scenario);
    const { funded } = makeAccounts();
    const wallet = new EvmWallet(new EvmNode(network.url), LOCAL_CHAIN_ID);
    await wallet.run({ from: funded, to: toLowerCase(funded.address), value: 1n }); // pays a fee
  };

  const killIndexMeanwhile = async (): Promise<void> => {
    const hasHelicon = await isHeliconActive(scenario);
    killed = await KilledIndex.start(network.nodes.slice(0, MAX_NODES), { hasHelicon });
    await killed.killWhileItFollows();
  };

  const coins = (validationIds: readonly string[]): Promise<CoinsAtNode> => {
    const { node, avaxAssetId } = scenario;
    return coinsAtNode(node, { addresses: ADDRESSES, avaxAssetId, validationIds });
  };

  it('are, replayed from the blocks of the P-chain, at every height what the node reports', async () => {
    const replay = await startReplay(recording);
    const answersByHeight = new Map(recording.answers.map((answers) => [answers.height, answers]));
    let compared = 0;
    for (const { height, bytes } of recording.blocks) {
      replay.apply(fromHex(bytes));
      const answers = answersByHeight.get(height);
      if (answers === undefined) continue;
      const { ours, nodes } = comparePChain(replay.ledger, answers, recording.networkId);
      expect({ step: answers.step, ...ours }).toEqual({ step: answers.step, ...nodes });
      compared += 1;
    }
    expect(compared).toBeGreaterThanOrEqual(MIN_ANSWERS);
    const { ours, nodes } = compareEnd(replay.ledger, recording);
    expect(ours).toEqual(nodes);
    expect(replay.ledger.tip.height.toString()).toBe(recording.answers.at(-1)?.height);
  });

  const stakingPorts = () => network.nodes.map(({ nodeId, stakingPort: port }) => ({ nodeId, port }));

  it('are read from the validators alone, each block as the node has it', async () => {
    const peers = await connectTo(stakingPorts());
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const P_CHAIN = { chainId: new Uint8Array(32), linkOf: parseBlockLink, checkpoints: [] };
    const rpc = new JsonRpcClient({ urls: [network.url], timeoutMs: 60_000 });
    const chainId = idFromString(await new InfoClient(rpc).getBlockchainId({ alias: 'X' }));
    const node = { platform: new PlatformClient(rpc), avm: new AvmClient(rpc) };
    for (const [chain, client] of [
      [P_CHAIN, node.platform],
      [{ chainId, linkOf: parseAvmBlock, checkpoints: [] }, node.avm],
    ] as const) {
      const options = {
        bootstrappers: network.nodes.map(({ nodeId }) => nodeId),
        stake: async () => undefined,
      };
      const accepted = new AcceptedChain(peers, chain, { ...options, logger: silentLogger });
      const height = await client.getHeight();
      await eventually('the validators confirm it', async () => (await accepted.getHeight(signal)) >= height);
      let next = 0n;
      for await (const block of accepted.fetch(0n, height, signal)) {
        const theirs = await client.getBlockByHeight({ height: next });
        expect({ height: next, block: toHex(block) }).toEqual({ height: next, block: toHex(theirs) });
        next += 1n;
      }
      expect(next).toBe(height + 1n);
      for (const place of [0n, 1n, height / 2n]) {
        const theirs = await client.getBlockByHeight({ height: place });
        expect(toHex(await accepted.getBlock(place, signal))).toBe(toHex(theirs));
      }
    }
  });

  it('begin, on the X-chain, with a vertex that every validator serves', async () => {
    const peers = await connectTo(stakingPorts());
    const { identity } = await avmGenesisOf(SANDBOX_NETWORK_ID);
    const { blockchainId: chainId } = identity;
    const stop = packVertex({ chainId, height: 0n, parentIds: [], transactions: [] });
    const store = new InMemoryVertexStore(sha256Id(stop));
    const walk = new VertexWalk(new BlockServers(peers, fromHex(chainId), silentLogger), store);
    const context = { until: Infinity, signal: AbortSignal.timeout(PATIENCE_MS), report: () => undefined };
    expect(await walk.run(context)).toBe(true);
    expect([...store.kept.values()].map(toHex)).toEqual([toHex(stop)]);
  });

  it('are indexed from the validators alone with the same rows', async () => {
    const [fromNode, fromValidators] = [await createMigratedDatabase(), await createMigratedDatabase()];
    await advanceToTip(createIndexer(fromNode, [network.url]).indexer);
    const peers = await connectTo(stakingPorts());
    const info = new InfoClient(new JsonRpcClient({ urls: [network.url], timeoutMs: 60_000 }));
    const validators = {
      peers: () => peers,
      config: {
        sandbox: false,
        peers: peersSetting(stakingPorts()),
      },
      // Of this network alone no version knows the rules before it is asked.
      upgrades: toUpgradeTimes((await info.upgrades()).timesSeconds),
    };
    const { indexer } = createIndexer(fromValidators, [NOBODY], { validators });
    await advanceToTip(indexer, 2_000);
    await advanceToTip(createXIndexer(fromValidators, [], { validators }).indexer, 2_000);
    await advanceToTip(createIndexer(fromNode, [network.url]).indexer);
    await advanceToTip(createXIndexer(fromNode, [network.url]).indexer);
    expect(await digestTables(fromValidators)).toEqual(await digestTables(fromNode));
  });

  it('are indexed with the same rows although the worker is killed while it fetches, twice', async () => {
    const rpc = new JsonRpcClient({ urls: [network.url], timeoutMs: 60_000 });
    const tips = {
      'p-chain': Number(await new PlatformClient(rpc).getHeight()),
      'x-chain': Number(await new AvmClient(rpc).getHeight()),
    };
    // The X-chain is the shorter one.
    for (const chain of ['x-chain', 'p-chain'] as const) {
      const height = await killed.height(chain);
      expect(height).toBeGreaterThan(0);
      expect(height).toBeLessThan(tips[chain]);
      await killed.killWhileItFetches(chain);
      expect(await killed.height(chain)).toBe(height);
    }
    await killed.finish(tips);
    const fromNode = await createMigratedDatabase();
    await advanceToTip(createIndexer(fromNode, [network.url]).indexer);
    await advanceToTip(createXIndexer(fromNode, [network.url]).indexer);
    expect(await digestTables(killed.database)).toEqual(await digestTables(fromNode));
  });

  it('have, by the rows of the index, the validator sets of the node at every height', async () => {
    const dataSource = await createMigratedDatabase();
    await advanceToTip(createIndexer(dataSource, [network.url]).indexer);
    await dataSource.query(
      `INSERT INTO index_progress (network, chain, state, height, tip_height, version)
         SELECT network, chain, 'running', height, height, 1 FROM index_checkpoints`,
    );
    const rows = new IndexedPChain('fuji', new Database(dataSource));
    expect(await rows.whyBehind()).toBeUndefined();
    const { platform } = networkAt([network.url]);
    const subnetIds = await rows.listSubnetIds();
    expect(subnetIds.length).toBeGreaterThan(3);
    let compared = 0;
    for (let height = 0n; height <= (await rows.getHeight()); height++) {
      for (const subnetId of subnetIds) {
        const theirs = await platform.getValidatorsAt({ subnetId, height });
        const ours = await rows.getValidatorsAt(subnetId, height);
        expect({ subnetId, height, set: canonical(ours) }).toEqual({
          subnetId,
          height,
          set: canonical(theirs),
        });
        compared += ours.length;
      }
    }
    expect(compared).toBeGreaterThan(500);
  });

  it('are listed on a C-chain whose index begins at its tip with what the node lets be imported', async () => {
    const url = `${network.url}/ext/bc/C/rpc`;
    const chains = [{ chainId: BigInt(LOCAL_CHAIN_ID), rpcUrls: [url] }];
    const api = await ListApi.start(undefined, { EVM_CHAINS_FILE: writeEvmChainsFile(chains) });
    await advanceToTip(createIndexer(api.dataSource, [network.url]).indexer);
    await advanceToTip(createXIndexer(api.dataSource, [network.url]).indexer);
    const options = { chain: { startHeight: 'tip' }, maxLagBlocks: 0n } as const;
    const { follower, atomic } = createEvmIndex(api.dataSource, [url], options);
    await advanceUntilDone(follower);
    const listed = async (): Promise<string[]> => {
      const path = '/v1/networks/fuji/blockchains/c-chain/utxos';
      const found = await api.walk(path, 'utxos', { addresses: ADDRESSES.join(',') }, () => 100);
      return found.map(({ utxoBytes }) => toHex(unpackRpcHex(String(utxoBytes)))).sort();
    };
    const theirs = Object.values(await outputsAtNode(scenario.node, 'C', ADDRESSES)).flat();
    expect(theirs.length).toBeGreaterThan(1);
    await eventually('the node was asked for all of them', async () => {
      await advanceBriefly(atomic);
      return (await listed()).length >= theirs.length;
    });
    expect(await listed()).toEqual(theirs.sort());
  });

  describe('when they are indexed', () => {
    let service: TestService;
    let connection: Connection;
    let supply: Record<string, string>;

    beforeAll(async () => {
      const environment = await makeServiceEnvironment(network, createTestFolder('service of localnet'));
      service = await TestService.start({
        nodeUrl: network.url,
        env: { ...environment, WORKER_QUEUES: 'indexing', LOG_LEVEL: 'warn' },
      });
      connection = await Connection.connect({ address: service.temporalAddress });
      onCleanup(() => connection.close());
      await untilSupplyIsKnown();
    });

    /** Which it is once all three chains are indexed to their tips. */
    const untilSupplyIsKnown = async (): Promise<void> => {
      const client = new Client({ connection });
      let problem: string | null = '';
      await eventually('the supply is worked out', async () => {
        const run = await triggerSchedule(client, makeRefreshNativeSupplyScheduleId('fuji'));
        ({ problem } = RefreshSchema.parse(await run.result()));
        return problem === null;
      }).catch((error: unknown) => {
        throw new Error(`the supply is not worked out: ${problem}`, { cause: error });
      });
      const { body } = await service.request('/v1/native/supply');
      supply = z.record(z.string(), z.string()).parse(body);
    };

    it.each(CHAIN_ALIASES)(
      'list as unspent on the %s-chain what the node does, byte for byte',
      async (chain) => {
        const { node } = scenario;
        const listed = async (addresses: readonly string[]) => {
          const found = await listUtxos(service, chain, { addresses });
          return Object.fromEntries(
            Object.entries(chainIds()).flatMap(([source, id]) => {
              const hexes = found
                .filter(({ createdOnChainId, staked }) => createdOnChainId === id && !staked)
                .map(({ utxoBytes }) => utxoBytes);
              return chain === 'C' && source === 'C' ? [] : [[source, hexes.sort()]];
            }),
          );
        };
        for (const address of ADDRESSES) {
          const theirs = spendableAlone(chain, await outputsAtNode(node, chain, [address]));
          expect({ address, ...(await listed([address])) }).toEqual({ address, ...theirs });
        }
        const theirs = await outputsAtNode(node, chain, ADDRESSES);
        expect(await listed(ADDRESSES)).toEqual(theirs);
        for (const hexes of Object.values(theirs)) expect(hexes.length).toBeGreaterThan(0);
      },
    );

    const chainIds = () => ({ P: PRIMARY_NETWORK_ID, ...recording.blockchainIds });

    it.each(CHAIN_ALIASES)(
      'record for all that was spent on the %s-chain by what, where and when, as its blocks do',
      async (chain) => {
        const listed = await listUtxos(service, chain, { addresses: ADDRESSES, includeSpent: true });
        const spent = listed.filter(
          ({ consumingTxHash, consumedOnChainId }) =>
            consumingTxHash !== undefined && consumedOnChainId === chainIds()[chain],
        );
        expect(spent.length).toBeGreaterThanOrEqual(MIN_SPENT[chain]);
        for (const utxo of spent) {
          expect({
            txId: utxo.consumingTxHash,
            height: utxo.consumingBlockNumber,
            time: utxo.consumingBlockTimestamp,
          }).toEqual(await consumptionAtNode(scenario.node, chain, utxo));
        }
      },
    );

    it('have the supply that follows from all that the node reports, to the last wei', async () => {
      const validationIds = Object.keys(recording.answers.at(-1)?.l1Validators ?? {});
      const atLast = await coins(validationIds);
      const wei = (name: string): bigint => toWei(supply[name] ?? 'none');
      expect(wei('totalSupply') - GENESIS_WEI).toBe(atLast.ownedWei - atFirst.ownedWei);
      expect(wei('totalSupply')).toBe(
        wei('genesisUnlock') +
          wei('totalRewards') -
          (wei('totalPBurned') + wei('totalXBurned') + wei('totalCBurned')),
      );
      expect({
        rewards: wei('totalRewards'),
        staked: wei('totalStaked'),
        locked: wei('totalLocked'),
      }).toEqual({
        rewards: (atLast.issued - atFirst.issued) * WEI_PER_NANO_AVAX,
        staked: atLast.staked * WEI_PER_NANO_AVAX,
        locked: atLast.locked * WEI_PER_NANO_AVAX,
      });
      // The rest that is burned there are the fees of imports and exports.
      const atomicFees = wei('totalCBurned') - atLast.burnAddressWei;
      expect(atomicFees).toBeGreaterThan(0n);
      expect(atomicFees % WEI_PER_NANO_AVAX).toBe(0n);
      for (const name of ['totalRewards', 'totalLocked', 'totalXBurned', 'l1ValidatorFees']) {
        expect([name, wei(name) > 0n]).toEqual([name, true]);
      }
      expect(wei('totalPBurned')).toBeGreaterThan(wei('l1ValidatorFees'));
    });
  });
});
