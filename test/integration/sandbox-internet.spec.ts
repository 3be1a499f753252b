import { afterEach, describe, expect, it } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import { once } from 'node:events';
import { connect } from 'node:net';
import { z } from 'zod';
import { bls } from '../../src/avalanche/bls/bls.js';
import { verifyProofOfPossession } from '../support/signatures/verify-proof-of-possession.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { packUnsignedIp } from '../../src/avalanche/p2p/peer/signed-ip.js';
import { InfoClient } from '../../src/avalanche/rpc/info-client.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../src/avalanche/rpc/platform-client.js';
import { ClientSchema } from '../../src/avalanche/proto/generated/p2p_pb.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/sandbox.js';
import { eventually } from '../support/harness/eventually.js';
import { RawPeer } from '../support/sandbox/raw-peer.js';
import { NODE_PATIENCE_MS } from '../support/node-patience.js';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(options: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox({ recording: null, blockIntervalMs: 0, ...options });
  closers.push(() => sandbox.stop());
  return sandbox;
}

function clientsOf({ url }: Sandbox): { info: InfoClient; platform: PlatformClient } {
  const rpc = new JsonRpcClient({ urls: [url], timeoutMs: NODE_PATIENCE_MS });
  closers.push(() => rpc.close());
  return { info: new InfoClient(rpc), platform: new PlatformClient(rpc) };
}

async function greeted(address = ''): Promise<RawPeer> {
  const peer = await RawPeer.greeted(address);
  closers.push(() => peer.close());
  return peer;
}

const AnswerSchema = z.object({ result: z.object({ height: z.string().optional() }).default({}) });

async function call(
  { url }: Sandbox,
  method: string,
  params: object = {},
): Promise<{ status: number; retryAfter: string | null; height: string | undefined }> {
  const response = await fetch(`${url}/ext/bc/P`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const text = await response.text();
  const answer = response.ok ? AnswerSchema.parse(JSON.parse(text)) : undefined;
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    height: answer?.result.height,
  };
}

const heightOf = async (sandbox: Sandbox, method: string): Promise<bigint> =>
  BigInt((await call(sandbox, method)).height ?? -1);

describe('a simulated validator that is far away', () => {
  it('takes three round trips to be greeted and one for an answer, and keeps the order of its answers', async () => {
    const roundTripMs = 60;
    const sandbox = await start({ validators: [{ roundTripMs }] });
    const startedAtMs = performance.now();
    const peer = await greeted(sandbox.validators[0]?.address);
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(3 * roundTripMs - 5);

    const chainId = idFromString(sandbox.cChainId);
    const askedAtMs = performance.now();
    const requestIds = Array.from({ length: 20 }, (_, index) => 2 * index + 1);
    for (const requestId of requestIds) {
      const message = fromHex(sandbox.examples(requestId).cChainCall.message);
      peer.request({ chainId, message, requestId });
    }
    const answered: number[] = [];
    while (answered.length < requestIds.length) answered.push((await peer.next('appResponse')).requestId);
    expect(answered).toEqual(requestIds);
    expect(performance.now() - askedAtMs).toBeGreaterThanOrEqual(roundTripMs - 5);
  });

  it('sends megabytes as well, as fast as they are taken', async () => {
    const sandbox = await start({
      validators: [{ roundTripMs: 20, behaviour: { kind: 'flood', messages: 1_000 } }],
    });
    const peer = await greeted(sandbox.validators[0]?.address);
    const message = fromHex(sandbox.examples().cChainCall.message);
    peer.request({ chainId: idFromString(sandbox.cChainId), message });
    for (;;) if ((await peer.next('appResponse')).requestId === 1) break;
    expect(peer.received.length).toBeGreaterThan(700);
  });

  it('notices that the client has gone', async () => {
    const sandbox = await start({ validators: [{ roundTripMs: 20 }] });
    const [validator] = sandbox.validators;
    const peer = await greeted(validator?.address);
    await eventually('it is greeted', () => validator?.clients.length === 1);
    peer.close();
    await eventually('it has noticed', () => validator?.clients.length === 0);
  });
});

describe('a simulated validator that cannot be reached', () => {
  it('takes connections as a black hole, stays silent, and is listed all the same', async () => {
    const sandbox = await start({ validators: [{ behaviour: 'black-hole' }, {}] });
    const [hole] = sandbox.validators;
    const socket = connect({ host: '127.0.0.1', port: hole?.port ?? 0 });
    closers.push(() => socket.destroy());
    const received: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    await once(socket, 'connect');
    socket.write('hello');
    await eventually('the connection', () => hole?.counters.connections === 1);
    await greeted(sandbox.validators[1]?.address);
    expect([received.length, socket.destroyed, hole?.counters.handshakes]).toEqual([0, false, 0]);
    expect(await clientsOf(sandbox).info.peers()).toHaveLength(2);
  });

  it('falls silent as a black hole to those who are connected, and has forgotten them when it is back', async () => {
    const sandbox = await start({ validators: 1 });
    const [validator] = sandbox.validators;
    const peer = await greeted(validator?.address);
    await eventually('it is greeted', () => validator?.clients.length === 1);
    validator?.setBehaviour('black-hole');
    peer.send({ case: 'ping', value: { uptime: 100 } });
    expect(validator?.clients).toEqual([]);
    validator?.setBehaviour('honest');
    await peer.closed;
    expect(peer.received.map(({ case: kind }) => kind)).not.toContain('pong');
    await greeted(validator?.address);
  });

  it('is named by nobody without an address, and by other validators alone when it is gossiped only', async () => {
    const sandbox = await start({
      validators: [
        {},
        { address: 'none' },
        { address: 'gossiped' },
        { address: 'gossiped-on-l1' },
        { l1Weight: 0n },
      ],
    });
    const nodeIds = sandbox.validators.map(({ nodeId }) => nodeId);
    const listed = await clientsOf(sandbox).info.peers({ nodeIds });
    expect(listed.map(({ nodeId }) => nodeIds.indexOf(nodeId))).toEqual([0, 4]);
    const gossipOf = async (index: number): Promise<number[]> => {
      const peer = await RawPeer.connect(sandbox.validators[index]?.address ?? '');
      closers.push(() => peer.close());
      peer.send(peer.handshake());
      const { claimedIpPorts } = await peer.next('peerList');
      const ports = sandbox.validators.map(({ port }) => port);
      return claimedIpPorts.map(({ ipPort }) => ports.indexOf(ipPort)).sort();
    };
    expect(await gossipOf(0)).toEqual([0, 2, 3, 4]);
    expect(await gossipOf(4)).toEqual([0, 2, 4]);
  });

  it('is in no list of the primary network when it validates nothing but the L1', async () => {
    const sandbox = await start({ validators: [{}, { weight: 0n }] });
    const { platform } = clientsOf(sandbox);
    const idsOf = (validators: readonly { nodeId: string }[]) =>
      validators.map(({ nodeId }) => nodeId).sort();
    const [first, second] = sandbox.validators.map(({ nodeId }) => nodeId);
    expect(
      idsOf(await platform.getValidatorsAt({ subnetId: PRIMARY_NETWORK_ID, height: 'proposed' })),
    ).toEqual([first]);
    expect(idsOf(await platform.getCurrentValidators())).toEqual([first]);
    const ofL1 = await platform.getValidatorsAt({ subnetId: sandbox.l1SubnetId, height: 'proposed' });
    expect(idsOf(ofL1)).toEqual([first, second].sort());
  });
});

describe('a simulated node of the public', () => {
  it('answers as late as configured', async () => {
    const sandbox = await start({ node: { delayMs: 50 } });
    const startedAtMs = performance.now();
    await call(sandbox, 'platform.getHeight');
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(45);
  });

  it('answers 429 and when to come back to what is above its limit', async () => {
    const sandbox = await start({ node: { requestsPerSecond: 0.01 } });
    const answers = [await call(sandbox, 'platform.getHeight'), await call(sandbox, 'platform.getHeight')];
    expect(answers.map(({ status, retryAfter }) => [status, retryAfter])).toEqual([
      [200, null],
      [429, '100'],
    ]);
    sandbox.setNodeBehaviour({});
    expect((await call(sandbox, 'platform.getHeight')).status).toBe(200);
  });

  it('answers only every other call', async () => {
    const sandbox = await start({ node: { failEvery: 2 } });
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await call(sandbox, 'platform.getHeight')).status);
    expect(statuses).toEqual([200, 503, 200, 503]);
  });

  it('is several nodes behind one another, one of which was restarted just now', async () => {
    const sandbox = await start({ node: { backends: [{}, { lagBlocks: 5 }, { proposesTip: true }] } });
    const inTurn = async (method: string): Promise<bigint[]> => [
      await heightOf(sandbox, method),
      await heightOf(sandbox, method),
      await heightOf(sandbox, method),
    ];
    expect(await inTurn('platform.getHeight')).toEqual([1_000n, 995n, 1_000n]);
    expect(await inTurn('platform.getProposedHeight')).toEqual([997n, 992n, 1_000n]);
    const { platform } = clientsOf(sandbox);
    const query = { subnetId: PRIMARY_NETWORK_ID, height: 1_000n };
    expect(await platform.getValidatorsAt(query)).toHaveLength(5);
    await expect(platform.getValidatorsAt(query)).rejects.toThrow('current P-chain height (995)');
    expect(await platform.getValidatorsAt(query)).toHaveLength(5);
    expect(sandbox.height).toBe(1_000n);
  });

  it('is configured by other processes, and refuses anything else', async () => {
    const sandbox = await start({});
    const setNode = async (body: string): Promise<number> => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${sandbox.url}/sandbox/node`, { method: 'POST', headers, body })).status;
    };
    expect(await setNode('{"failEvery":1}')).toBe(200);
    expect((await call(sandbox, 'platform.getHeight')).status).toBe(503);
    for (const wrong of ['{"failEvery":-1}', '{"backends":[]}', '{"speed":"slow"}', '[]']) {
      expect(await setNode(wrong)).toBe(400);
    }
    expect(await setNode('{}')).toBe(200);
    expect((await call(sandbox, 'platform.getHeight')).status).toBe(200);
  });

  it('counts the calls by method, the refused and the unreadable ones too', async () => {
    const sandbox = await start({ node: { failEvery: 2 } });
    for (let i = 0; i < 3; i++) await call(sandbox, 'platform.getHeight');
    await call(sandbox, 'made.up');
    await fetch(`${sandbox.url}/ext/info`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: 'no JSON',
    });
    const expected = { 'platform.getHeight': 3, 'made.up': 1, other: 1 };
    expect(sandbox.calls).toEqual(expected);
    const observed: unknown = await (await fetch(`${sandbox.url}/sandbox/observations`)).json();
    expect(observed).toEqual({ calls: expected, connectedStakeShare: 0 });
  });
});

function isProof(
  publicKey: Uint8Array = new Uint8Array(),
  signature: Uint8Array = new Uint8Array(),
  message: Uint8Array = publicKey,
): boolean {
  return verifyProofOfPossession(
    bls.publicKeyFromBytes(publicKey),
    bls.signatureFromBytes(signature),
    message,
  );
}

describe('the sandbox as a network', () => {
  it('gives valid proofs of possession and address signatures, also of the hundredth validator', async () => {
    const sandbox = await start({ validators: 100 });
    const { publicKey, address = '', nodeId = '' } = sandbox.validators[99] ?? {};
    const peer = await RawPeer.connect(address);
    closers.push(() => peer.close());
    const { ipAddr, ipPort, ipSigningTime, ipBlsSig } = await peer.next('handshake');
    const bytes = packUnsignedIp({ ip: ipAddr, port: ipPort, timestampSeconds: ipSigningTime });
    expect(isProof(publicKey, ipBlsSig, bytes)).toBe(true);
    const [listed] = await clientsOf(sandbox).platform.getCurrentValidators({ nodeIds: [nodeId] });
    const signer = listed?.kind === 'staker' ? listed.signer : undefined;
    expect(isProof(publicKey, signer?.proofOfPossession)).toBe(true);
  });

  it('ends the connections of clients below a raised floor, and lets those in that are not', async () => {
    const sandbox = await start({ validators: 1 });
    const address = sandbox.validators[0]?.address ?? '';
    const peer = await greeted(address);
    await eventually('it is greeted', () => sandbox.validators[0]?.clients.length === 1);
    const response = await fetch(`${sandbox.url}/sandbox/versions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"floor":"1.16.0","node":"1.16.2"}',
    });
    expect(await response.json()).toEqual({ versions: { floor: '1.16.0', node: '1.16.2' } });
    await peer.closed;
    await expect(RawPeer.greeted(address)).rejects.toThrow('closed while waiting');
    const upgraded = await RawPeer.connect(address);
    closers.push(() => upgraded.close());
    expect((await upgraded.next('handshake')).client).toMatchObject({ major: 1, minor: 16, patch: 2 });
    upgraded.send(
      upgraded.handshake({ client: create(ClientSchema, { name: 'test', major: 1, minor: 16 }) }),
    );
    await upgraded.next('peerList');
    expect((await clientsOf(sandbox).info.getNodeVersion()).version).toBe('avalanchego/1.16.2');
  });

  it('reports how much of the stake is connected to the client that has most', async () => {
    const sandbox = await start({ validators: [{ weight: 60n }, { weight: 30n }, { weight: 10n }] });
    const [heaviest, middle] = sandbox.validators;
    expect(sandbox.connectedStakeShare).toBe(0);
    const one = await greeted(heaviest?.address);
    await eventually('one is connected', () => sandbox.connectedStakeShare === 0.6);
    await greeted(middle?.address);
    await eventually('another client', () => middle?.clients.length === 1);
    expect(sandbox.connectedStakeShare).toBe(0.6);
    one.close();
    await eventually('the first is gone', () => sandbox.connectedStakeShare === 0.3);
  });

  it('looks like the internet when asked to, and its lists name the same validators', async () => {
    const sandbox = await start({ internet: true, validators: 40, node: {} });
    const { info, platform } = clientsOf(sandbox);
    const ids = (validators: readonly { nodeId: string }[]): string[] =>
      validators.map(({ nodeId }) => nodeId).sort();
    const all = ids(sandbox.validators);
    for (const subnetId of [PRIMARY_NETWORK_ID, sandbox.l1SubnetId]) {
      const current = await platform.getCurrentValidators({ subnetId });
      expect(ids(await platform.getValidatorsAt({ subnetId, height: 'proposed' }))).toEqual(ids(current));
      const canonical = (await platform.getAllValidatorsAt({ height: 'proposed' })).get(subnetId);
      expect(canonical?.validators.flatMap(({ nodeIds }) => nodeIds).sort()).toEqual(ids(current));
    }
    expect(ids(await platform.getCurrentValidators())).toEqual(all);
    for (const entry of await platform.getCurrentValidators()) {
      const { publicKey, proofOfPossession } = entry.kind === 'staker' ? (entry.signer ?? {}) : {};
      expect(isProof(publicKey, proofOfPossession)).toBe(true);
    }
    const peers = await info.peers();
    expect(peers).toHaveLength(38);
    expect(peers.every(({ nodeId }) => all.includes(nodeId))).toBe(true);
  });
});
