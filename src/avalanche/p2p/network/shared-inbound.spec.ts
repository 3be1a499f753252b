import { afterEach, describe, expect, it } from '@jest/globals';
import {
  TEST_NETWORK_ID,
  until,
  type Script,
  type ScriptedNode,
} from '../../../../test/support/p2p/scripted-node.js';
import { endStarted, onTestEnd, startNode } from '../../../../test/support/p2p/started.js';
import { silentLogger } from '../../../../test/support/silent-logger.js';
import { packFrame } from '../messages/message-framing.js';
import { TlsIdentity } from '../peer/tls-identity.js';
import { PeerNetwork, type PeerNetworkLimits } from './peer-network.js';
import { SharedInbound } from './shared-inbound.js';

const chainId = new Uint8Array(32);
const echo: Script['onAppRequest'] = ({ requestId, appBytes }, session) =>
  session.send({ case: 'appResponse', value: { chainId, requestId, appBytes } });

afterEach(endStarted);

const RATE = { burst: 1000, perSecond: 100 };

describe(SharedInbound.name, () => {
  it('names the loudest once the allowance is used up, whoever uses the last of it', () => {
    const shared = new SharedInbound(RATE, 0);
    expect(shared.charge('loud', 500, 0)).toBeUndefined();
    expect(shared.charge('middling', 400, 0)).toBeUndefined();
    expect(shared.charge('quiet', 100, 0)).toBeUndefined();
    expect(shared.charge('quiet', 1, 0)).toBe('loud');
    // Its bytes count no longer.
    expect(shared.charge('quiet', 100, 0)).toBeUndefined();
  });

  it('counts what was sent lately', () => {
    const shared = new SharedInbound(RATE, 0);
    shared.charge('formerly', 900, 0);
    expect(shared.charge('now', 800, 60_000)).toBeUndefined();
    expect(shared.charge('quiet', 300, 60_000)).toBe('now');
  });

  it('lets all go on that keep within it together', () => {
    const shared = new SharedInbound(RATE, 0);
    for (let second = 0; second < 1000; second++) {
      expect(shared.charge(`node ${second % 7}`, 100, second * 1000)).toBeUndefined();
    }
  });

  it('names no node that is gone', () => {
    const shared = new SharedInbound(RATE, 0);
    shared.charge('gone', 900, 0);
    shared.forget('gone');
    expect(shared.charge('left', 200, 0)).toBe('left');
  });
});

describe('nodes that share an allowance', () => {
  it('lets the loudest go when many that each keep their limits send too much together', async () => {
    const [loud, honest, staked] = await Promise.all([
      Promise.all(Array.from({ length: 40 }, () => startNode())),
      startNode({ onAppRequest: echo }),
      startNode({ onAppRequest: echo }),
    ]);
    // As in production, divided by about a hundred; nothing comes back meanwhile.
    const limits = {
      inboundBytes: { burst: 80_000, perSecond: 0 },
      sharedInboundBytes: { burst: 640_000, perSecond: 0 },
    };
    const network = await connect([...loud, honest, staked], { staked, limits });

    const gossip = { case: 'appGossip', value: { chainId, appBytes: new Uint8Array(30_000) } } as const;
    for (const { session } of [...loud, staked]) session.send(gossip);
    await until(() => network.count().benched > 0, 'a penalty');
    for (const { nodeId } of [honest, staked]) {
      expect(await network.appRequest({ nodeId, chainId, appBytes: chainId, timeoutMs: 25_000 })).toEqual(
        chainId,
      );
    }
    // About as many are left as the allowance is good for.
    const isLeft = ({ nodeId }: ScriptedNode) => network.isConnected(nodeId);
    await until(() => loud.filter(isLeft).length <= 21, 'those that are left');
    expect(loud.filter(isLeft).length).toBeGreaterThan(15);
    const gone = loud.filter(({ nodeId }) => !network.isConnected(nodeId));
    const states = gone.map(({ nodeId }) => network.connectionState(nodeId));
    expect(new Set(states)).toEqual(new Set(['benched: sent the most of too many bytes']));
  });
});

describe('nodes that share memory', () => {
  it('end no other connection with messages that they never finish', async () => {
    const large = new Uint8Array(1_000_000);
    const onChainQuestion: Script['onChainQuestion'] = (message, session) => {
      if (message.case !== 'getAncestors') return;
      const { requestId } = message.value;
      session.send({ case: 'ancestors', value: { chainId, requestId, containers: [large] } });
    };
    const [hostile, unstaked, staked] = await Promise.all([
      Promise.all(Array.from({ length: 4 }, () => startNode())),
      startNode({ onChainQuestion }),
      startNode({ onChainQuestion }),
    ]);
    const limits = { maxInboundBytes: 3_000_000 };
    const network = await connect([...hostile, unstaked, staked], { staked, limits });

    const unfinished = packFrame(new Uint8Array(1_200_000)).subarray(0, -1);
    const sessions = hostile.map(({ session }) => session);
    for (const session of sessions) session.sendBytes(unfinished);
    const isFull = () => sessions.filter(({ isClosed }) => isClosed).length === 2;
    await until(isFull, 'that there is no memory left');
    const question = { kind: 'getAncestors', containerId: chainId, engine: 'chain' } as const;
    for (const { nodeId } of [staked, unstaked]) {
      expect(await network.ask(question, { nodeId, chainId, timeoutMs: 25_000 })).toEqual([large]);
    }
  });
});

async function connect(
  nodes: readonly ScriptedNode[],
  { staked, limits }: { staked: ScriptedNode; limits: Partial<PeerNetworkLimits> },
): Promise<PeerNetwork> {
  const network = new PeerNetwork({
    networkId: TEST_NETWORK_ID,
    identity: TlsIdentity.generate(),
    clientVersion: { name: 'avalanchego', major: 1, minor: 15, patch: 0 },
    allowPrivateAddresses: true,
    logger: silentLogger,
    limits,
  });
  onTestEnd(() => network.close());
  network.setAddresses(nodes.map(({ address }) => address));
  network.setStaked([staked.nodeId]);
  network.track(nodes.map(({ nodeId }) => nodeId));
  await until(() => network.count().connected === nodes.length, 'all connections');
  return network;
}
