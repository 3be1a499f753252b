import { z } from 'zod';
import { parsePeer } from '../../src/avalanche/p2p/network/address.js';
import { PeerNetwork } from '../../src/avalanche/p2p/network/peer-network.js';
import { TlsIdentity } from '../../src/avalanche/p2p/peer/tls-identity.js';
import { parseBlockLink } from '../../src/avalanche/platformvm/codec/block.js';
import { AcceptedChain } from '../../src/indexes/engine/sources/accepted-chain.js';
import { poll } from '../../sandbox/local/processes/poll.js';
import { SANDBOX_NETWORK_ID } from '../../sandbox/sandbox.js';
import { silentLogger } from '../support/silent-logger.js';
import { type Child, startChild } from './child.js';

const P_CHAIN = {
  checkpoints: [],
  chainId: new Uint8Array(32),
  linkOf: parseBlockLink,
};
const CONNECT_TIMEOUT_MS = 120_000;
/** So many of those that can be reached. */
const CONNECTED_SHARE = 0.9;
const LISTED = 24;
const SAMPLE_MS = 250;

const ReadySchema = z.object({ peers: z.array(z.string()) });

/** The validators of a simulated internet, and a peer of theirs in this process. */
export interface ValidatorsBed {
  /** Of the sandbox. */
  readonly url: string;
  readonly peers: PeerNetwork;
  /** As they stand in the configuration: believed about what is accepted. */
  readonly bootstrappers: readonly string[];
  close(): Promise<void>;
}

/** `chain`: of so many blocks, or one whose blocks stake the validators. */
export async function startValidators(
  folder: string,
  { chain, validators }: { chain: number | 'staked'; validators: number },
): Promise<ValidatorsBed> {
  const chainArgs = chain === 'staked' ? ['--staked'] : ['--blocks', String(chain)];
  let listed: readonly string[] = [];
  const child: Child = await startChild({
    folder,
    name: 'validators',
    entry: 'dist/test-programs/bench/index-p-chain-node.js',
    args: [...chainArgs, '--validators', String(validators)],
    nodeOptions: ['--max-old-space-size=8000'],
    onMessage: (message) => (listed = ReadySchema.parse(message).peers),
  });
  const peers = new PeerNetwork({
    networkId: SANDBOX_NETWORK_ID,
    identity: TlsIdentity.generate(),
    clientVersion: { name: 'avalanchego', major: 1, minor: 15, patch: 0 },
    allowPrivateAddresses: true,
    logger: silentLogger,
  });
  const addresses = listed.flatMap(parsePeer);
  peers.setAddresses(addresses);
  peers.track(addresses.map(({ nodeId }) => nodeId));
  await poll({
    what: 'connections',
    timeoutMs: CONNECT_TIMEOUT_MS,
    intervalMs: SAMPLE_MS,
    ask: () => peers.count().connected >= CONNECTED_SHARE * addresses.length || undefined,
  });
  return {
    url: child.url,
    peers,
    bootstrappers: listed.slice(0, LISTED),
    close: async () => {
      await peers.close();
      await child.stop();
    },
  };
}

export interface Fetched {
  readonly blocksPerSecond: number;
  /** Bytes over the connections by those of the blocks. */
  readonly bytesRatio: number;
  /** By which the process grew at most. */
  readonly grownMb: number;
}

/** Every block from 0 on, each the parent that the next one names, up to what the bootstrappers have accepted. */
export async function fetchChain({ peers, bootstrappers }: ValidatorsBed, blocks: number): Promise<Fetched> {
  const nodeIds = bootstrappers.flatMap(parsePeer).map(({ nodeId }) => nodeId);
  const options = { bootstrappers: nodeIds, stake: async () => undefined, logger: silentLogger };
  const chain = new AcceptedChain(peers, P_CHAIN, options);
  const { signal } = new AbortController();
  const receivedBefore = receivedBytes(peers);
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), SAMPLE_MS);
  const startedAt = performance.now();
  const tip = await chain.getHeight(signal);
  if (tip !== BigInt(blocks - 1)) throw new Error(`the validators have accepted ${tip} of ${blocks} blocks`);
  let [count, bytes] = [0, 0];
  for await (const block of chain.fetch(0n, tip, signal)) {
    count += 1;
    bytes += block.length;
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  clearInterval(timer);
  return {
    blocksPerSecond: count / seconds,
    bytesRatio: (receivedBytes(peers) - receivedBefore) / bytes,
    grownMb: (most - before) / 2 ** 20,
  };
}

function receivedBytes({ traffic }: PeerNetwork): number {
  return [...traffic.received.values()].reduce((sum, { bytes }) => sum + bytes, 0);
}
