import { afterEach, describe, expect, it } from '@jest/globals';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { idFromString } from '../../src/avalanche/ids/id.js';
import { blst } from '../../src/avalanche/bls/blst.js';
import { silentLogger } from '../support/silent-logger.js';
import { packSignatureRequest, unpackSignatureResponse } from '../../src/avalanche/p2p/messages/acp118.js';
import { PeerRequestError } from '../../src/avalanche/p2p/peer-request.error.js';
import { PeerNetwork } from '../../src/avalanche/p2p/network/peer-network.js';
import { TlsIdentity } from '../../src/avalanche/p2p/peer/tls-identity.js';
import { InfoClient, type PeerInfo } from '../../src/avalanche/rpc/info-client.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import type { BehaviourInput } from '../../sandbox/behaviour.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { eventually } from '../support/harness/eventually.js';
import { NODE_PATIENCE_MS } from '../support/node-patience.js';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function sandboxOf(validators: number): Promise<Sandbox> {
  const sandbox = await startSandbox({ validators, blockIntervalMs: 0 });
  closers.push(() => sandbox.stop());
  return sandbox;
}

/** Those that can be dialled; the recorded ones have no address. */
async function listedPeers(rpc: JsonRpcClient): Promise<PeerInfo[]> {
  return (await new InfoClient(rpc).peers()).filter(({ publicIp }) => publicIp !== '');
}

/** The service's own client, connected to every validator of the sandbox that `info.peers` lists. */
async function connectedTo(sandbox: Sandbox): Promise<PeerNetwork> {
  const rpc = new JsonRpcClient({ urls: [sandbox.url], timeoutMs: NODE_PATIENCE_MS });
  const peers = await listedPeers(rpc);
  const network = new PeerNetwork({
    networkId: sandbox.networkId,
    identity: TlsIdentity.generate(),
    clientVersion: { name: 'test', major: 1, minor: 15, patch: 0 },
    allowPrivateAddresses: true,
    logger: silentLogger,
  });
  closers.push(
    () => rpc.close(),
    () => network.close(),
  );
  network.setAddresses(
    peers.map(({ nodeId, publicIp }) => {
      const [host = '', port = ''] = publicIp.split(':');
      return { nodeId, host, port: Number(port) };
    }),
  );
  network.track(peers.map(({ nodeId }) => nodeId));
  await eventually('all are connected', () => network.count().connected === peers.length);
  return network;
}

interface Asked {
  signature?: Uint8Array;
  isValid?: boolean;
  error?: PeerRequestError;
}

let messages = 0;

async function ask(
  network: PeerNetwork,
  sandbox: Sandbox,
  index: number,
  timeoutMs = NODE_PATIENCE_MS,
): Promise<Asked> {
  const validator = sandbox.validators[index];
  if (validator === undefined) throw new RangeError('no such validator');
  const message = fromHex(sandbox.examples(messages++).cChainCall.message);
  try {
    const appBytes = await network.appRequest({
      nodeId: validator.nodeId,
      chainId: idFromString(sandbox.cChainId),
      appBytes: packSignatureRequest({ message, justification: new Uint8Array() }),
      timeoutMs,
    });
    const signature = unpackSignatureResponse(appBytes);
    return { signature, isValid: isValid(message, validator.publicKey, signature) };
  } catch (error) {
    if (error instanceof PeerRequestError) return { error };
    throw error;
  }
}

function isValid(message: Uint8Array, publicKey: Uint8Array, signature: Uint8Array): boolean {
  try {
    return blst.verify(message, blst.publicKeyFromBytes(publicKey), blst.signatureFromBytes(signature));
  } catch {
    return false;
  }
}

describe('a sandbox and the client of the service', () => {
  it('gives a valid signature of every validator, with keys of either kind', async () => {
    const sandbox = await sandboxOf(100);
    const network = await connectedTo(sandbox);
    const answers = await Promise.all(sandbox.validators.map(({ index }) => ask(network, sandbox, index)));
    expect(answers.filter((answer) => answer.isValid)).toHaveLength(100);
    expect(
      new Set(sandbox.validators.map(({ publicKey }) => Buffer.from(publicKey).toString('hex'))).size,
    ).toBe(100);
    expect(
      sandbox.validators.every(({ requests, counters }) => requests === 1 && counters.signatures === 1),
    ).toBe(true);
  });

  it.each<{ behaviour: BehaviourInput; timeoutMs?: number; expected: object }>([
    { behaviour: 'silent', timeoutMs: 400, expected: { error: { code: 'TIMED_OUT' } } },
    { behaviour: 'disconnect', expected: { error: { code: 'DISCONNECTED' } } },
    { behaviour: 'garbage-frames', expected: { error: { code: 'DISCONNECTED' } } },
    {
      behaviour: { kind: 'slow', delayMs: 100_000 },
      timeoutMs: 400,
      expected: { error: { code: 'TIMED_OUT' } },
    },
    { behaviour: { kind: 'slow', delayMs: 20 }, expected: { isValid: true } },
    {
      behaviour: { kind: 'refuse', code: 11, message: 'not today' },
      expected: { error: { code: 'APP_ERROR', appErrorCode: 11, appErrorMessage: 'not today' } },
    },
    { behaviour: 'infinity-signature', expected: { isValid: false } },
    { behaviour: { kind: 'garbage', length: 97 }, expected: { isValid: false } },
  ])('behaves as configured: $behaviour', async ({ behaviour, timeoutMs, expected }) => {
    const sandbox = await sandboxOf(2);
    const network = await connectedTo(sandbox);
    sandbox.validators[0]?.setBehaviour(behaviour);
    expect(await ask(network, sandbox, 0, timeoutMs)).toMatchObject(expected);
    expect(await ask(network, sandbox, 1)).toMatchObject({ isValid: true });
  });

  it('signs another message where a wrong signature is configured', async () => {
    const sandbox = await sandboxOf(1);
    const network = await connectedTo(sandbox);
    sandbox.validators[0]?.setBehaviour('wrong-signature');
    const { signature, isValid: isRight } = await ask(network, sandbox, 0);
    expect(isRight).toBe(false);
    expect(() => blst.signatureFromBytes(signature ?? new Uint8Array())).not.toThrow();
  });

  it('sends garbage of varying length', async () => {
    const sandbox = await sandboxOf(1);
    const network = await connectedTo(sandbox);
    sandbox.validators[0]?.setBehaviour('garbage');
    const lengths: (number | undefined)[] = [];
    for (let i = 0; i < 5; i++) lengths.push((await ask(network, sandbox, 0)).signature?.length);
    expect(lengths).toEqual([96, 1, 95, 97, 0]);
  });

  it('refuses so many times, or for so long, and is honest again', async () => {
    const sandbox = await sandboxOf(2);
    const network = await connectedTo(sandbox);
    sandbox.validators[0]?.setBehaviour({ kind: 'refuse', code: 1, message: '', times: 2 });
    sandbox.validators[1]?.setBehaviour({ kind: 'refuse', code: 1, message: '', forMs: 1 });
    const first = [
      await ask(network, sandbox, 0),
      await ask(network, sandbox, 0),
      await ask(network, sandbox, 0),
    ];
    expect(first.map(({ isValid: isRight }) => isRight ?? 'refused')).toEqual(['refused', 'refused', true]);
    expect(sandbox.validators[0]?.behaviour).toEqual({ kind: 'honest' });
    await eventually('it signs', async () => (await ask(network, sandbox, 1)).isValid === true);
  });

  it('floods and still answers in the end, or is cut off', async () => {
    const sandbox = await sandboxOf(2);
    const network = await connectedTo(sandbox);
    sandbox.validators[0]?.setBehaviour({ kind: 'flood', messages: 2_000 });
    const flooded = await ask(network, sandbox, 0);
    expect(flooded.isValid ?? flooded.error?.code).toEqual(expect.anything());
    expect(await ask(network, sandbox, 1)).toMatchObject({ isValid: true });
  });

  it.each(['refuse-connections', 'not-listening'] as const)(
    'disconnects, leaves info.peers and comes back on request: %s',
    async (behaviour) => {
      const sandbox = await sandboxOf(3);
      const network = await connectedTo(sandbox);
      const [validator] = sandbox.validators;
      const port = validator?.port;
      validator?.setBehaviour(behaviour);
      await eventually('it is gone', () => !network.isConnected(validator?.nodeId ?? ''));
      const rpc = new JsonRpcClient({ urls: [sandbox.url], timeoutMs: NODE_PATIENCE_MS });
      closers.push(() => rpc.close());
      expect(await listedPeers(rpc)).toHaveLength(2);
      validator?.setBehaviour('honest');
      expect((await connectedTo(sandbox)).count().connected).toBe(3);
      expect(validator?.port).toBe(port);
    },
  );
});
