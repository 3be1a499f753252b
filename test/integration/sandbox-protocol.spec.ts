import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { EMPTY_ID, idFromString } from '../../src/avalanche/ids/id.js';
import { nodeIdFromCertificate, nodeIdToString } from '../../src/avalanche/ids/node-id.js';
import { blst } from '../../src/avalanche/bls/blst.js';
import { verifyProofOfPossession } from '../support/signatures/verify-proof-of-possession.js';
import { unpackSignatureResponse } from '../../src/avalanche/p2p/messages/acp118.js';
import { EMPTY_BLOOM_FILTER } from '../../src/avalanche/p2p/network/bloom-filter.js';
import { readClaimant, verifyClaimedIp } from '../../src/avalanche/p2p/peer/peer-list-claim.js';
import type { SignedIp } from '../../src/avalanche/p2p/peer/handshake.js';
import { packUnsignedIp } from '../../src/avalanche/p2p/peer/signed-ip.js';
import { TlsIdentity } from '../../src/avalanche/p2p/peer/tls-identity.js';
import type { Handshake } from '../../src/avalanche/proto/generated/p2p_pb.js';
import { unpackUnsignedMessage, packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import { type Sandbox, type SandboxValidator, startSandbox } from '../../sandbox/sandbox.js';
import { RawPeer } from '../support/sandbox/raw-peer.js';

/** Of avalanchego v1.15.0 (network/p2p/handler.go), beside that of signatures: proofs and synchronisation. */
const HANDLERS_OF_NODES = [3, 4, 5, 6, 7];

let sandbox: Sandbox;
let validator: SandboxValidator;
const peers: RawPeer[] = [];

beforeAll(async () => {
  sandbox = await startSandbox({
    validators: [{}, {}, {}, { l1Weight: 0n }, ...new Array<object>(16).fill({ l1Weight: 0n })],
    blockIntervalMs: 0,
  });
  [validator] = sandbox.validators as [SandboxValidator];
});

afterAll(() => sandbox.stop());

afterEach(() => {
  for (const peer of peers.splice(0)) peer.close();
});

async function connected(identity?: TlsIdentity, options?: object): Promise<RawPeer> {
  const peer = await RawPeer.connect(validator.address, identity, options);
  peers.push(peer);
  return peer;
}

async function greeted(address = validator.address): Promise<RawPeer> {
  const peer = await RawPeer.greeted(address);
  peers.push(peer);
  return peer;
}

const nowSeconds = () => BigInt(Math.floor(Date.now() / 1000));

describe('a simulated validator as a peer', () => {
  it('shows the certificate of its node id, over TLS 1.3 only', async () => {
    const peer = await connected();
    const certificate = peer.socket.getPeerX509Certificate();
    expect(peer.socket.getProtocol()).toBe('TLSv1.3');
    expect(nodeIdToString(nodeIdFromCertificate(certificate?.raw ?? new Uint8Array()))).toBe(
      validator.nodeId,
    );
    await expect(RawPeer.connect(validator.address, undefined, { maxVersion: 'TLSv1.2' })).rejects.toThrow();
  });

  it('closes without a client certificate', async () => {
    const peer = await connected(undefined, { cert: undefined, key: undefined });
    await peer.closed;
    expect(peer.received).toEqual([]);
  });

  it('greets unprompted, with both signatures over its address', async () => {
    const peer = await connected();
    const handshake = await peer.next('handshake');
    expect(handshake.networkId).toBe(12_345);
    expect(handshake.ipPort).toBe(validator.port);
    expect(handshake.client).toMatchObject({ name: 'avalanchego', major: 1, minor: 15, patch: 0 });
    expect(handshake.trackedSubnets).toEqual([idFromString(sandbox.l1SubnetId)]);
    const bytes = packUnsignedIp({
      ip: handshake.ipAddr,
      port: handshake.ipPort,
      timestampSeconds: handshake.ipSigningTime,
    });
    const [publicKey, signature] = [
      blst.publicKeyFromBytes(validator.publicKey),
      blst.signatureFromBytes(handshake.ipBlsSig),
    ];
    expect(verifyProofOfPossession(publicKey, signature, bytes)).toBe(true);
  });

  it('answers a handshake with fifteen addresses that their nodes signed, compressed', async () => {
    const peer = await connected();
    peer.send(peer.handshake());
    const { claimedIpPorts } = await peer.next('peerList');
    expect(claimedIpPorts).toHaveLength(15);
    const addresses = claimedIpPorts.map((claim) =>
      verifyClaimedIp(claim, readClaimant(claim), nowSeconds()),
    );
    const known = new Map(sandbox.validators.map(({ nodeId, address }) => [nodeId, address]));
    for (const { nodeId, host, port } of addresses) expect(known.get(nodeId)).toBe(`${host}:${port}`);
    // Field 2 of p2p.Message, length-delimited: compressed_zstd.
    expect(peer.frames[1]?.[0]).toBe(0x12);
    expect(peer.frames[0]?.[0]).toBe(0x6a);
  });

  it('leaves out what a filter of known peers holds, and does not answer when nothing is left', async () => {
    const peer = await greeted();
    peer.send({
      case: 'getPeerList',
      value: { knownPeers: { filter: EMPTY_BLOOM_FILTER, salt: new Uint8Array() } },
    });
    expect((await peer.next('peerList')).claimedIpPorts).toHaveLength(15);
    const everything = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0, 0xff);
    peer.send({ case: 'getPeerList', value: { knownPeers: { filter: everything, salt: new Uint8Array() } } });
    await peer.roundTrip();
    expect(peer.received).toEqual([]);
  });

  it('drops requests until it has handshake and peer list', async () => {
    const peer = await connected();
    const message = fromHex(sandbox.examples('early').cChainCall.message);
    const request = { chainId: idFromString(sandbox.cChainId), message };
    peer.request({ ...request, requestId: 1 });
    peer.send(peer.handshake());
    peer.request({ ...request, requestId: 3 });
    peer.send({ case: 'getPeerList', value: {} });
    peer.send({ case: 'peerList', value: {} });
    peer.request({ ...request, requestId: 5 });
    expect((await peer.next('appResponse')).requestId).toBe(5);
  });

  it('lets the first connection of a node id stay and closes the second', async () => {
    const identity = TlsIdentity.generate();
    const first = await connected(identity);
    await first.next('handshake');
    const second = await connected(identity);
    await second.closed;
    await first.roundTrip();
    first.close();
    await first.closed;
  });

  it('skips messages that it cannot read', async () => {
    const peer = await greeted();
    peer.socket.write(Uint8Array.of(0, 0, 0, 3, 1, 2, 3));
    peer.socket.write(Uint8Array.of(0, 0, 0, 0));
    await peer.roundTrip();
  });

  it.each<{
    id: string;
    changes?: (now: bigint) => Partial<Omit<Handshake, '$typeName'>>;
    ip?: Partial<SignedIp>;
  }>([
    // What is on its way for a moment only gets closer.
    { id: 'a clock 55 s ahead', changes: (now) => ({ myTime: now + 55n }) },
    { id: 'an address signed in 2020', ip: { timestampSeconds: 1_577_836_800n } },
    { id: 'version 1.15.0', changes: () => ({ client: version(1, 15, 0) }) },
    { id: 'version 1.99.0', changes: () => ({ client: version(1, 99, 0) }) },
    {
      id: '16 subnets',
      changes: () => ({ trackedSubnets: new Array<Uint8Array>(16).fill(new Uint8Array(32)) }),
    },
    { id: 'an infinite BLS signature', changes: () => ({ ipBlsSig: infinity() }) },
    { id: 'a minimal filter', changes: () => ({ knownPeers: filter(EMPTY_BLOOM_FILTER) }) },
  ])('accepts $id', async ({ changes, ip }) => {
    const peer = await connected();
    peer.send(peer.handshake(changes?.(nowSeconds()), ip));
    await peer.next('peerList');
    await peer.roundTrip();
  });

  it.each<{
    id: string;
    changes?: (now: bigint) => Partial<Omit<Handshake, '$typeName'>>;
    ip?: Partial<SignedIp>;
  }>([
    { id: 'another network', changes: () => ({ networkId: 1 }) },
    { id: 'a clock 62 s late', changes: (now) => ({ myTime: now - 62n }) },
    { id: 'an address of the future', ip: { timestampSeconds: nowSeconds() + 3_600n } },
    { id: 'version 1.14.2', changes: () => ({ client: version(1, 14, 2) }) },
    { id: 'version 2.0.0', changes: () => ({ client: version(2, 0, 0) }) },
    { id: 'no version', changes: () => ({ client: undefined }) },
    {
      id: '17 subnets',
      changes: () => ({ trackedSubnets: new Array<Uint8Array>(17).fill(new Uint8Array(32)) }),
    },
    { id: 'a subnet of 31 bytes', changes: () => ({ trackedSubnets: [new Uint8Array(31)] }) },
    { id: 'port 0', ip: { port: 0 } },
    { id: 'an address of five bytes', changes: () => ({ ipAddr: new Uint8Array(5) }) },
    { id: 'a wrong TLS signature', ip: { tlsSignature: new Uint8Array(70) } },
    { id: 'no BLS signature', changes: () => ({ ipBlsSig: new Uint8Array() }) },
    { id: 'a BLS signature that is no point', changes: () => ({ ipBlsSig: new Uint8Array(96).fill(0xff) }) },
    { id: 'an empty filter', changes: () => ({ knownPeers: filter(new Uint8Array()) }) },
    { id: 'a salt of 33 bytes', changes: () => ({ knownPeers: filter(EMPTY_BLOOM_FILTER, 33) }) },
  ])('closes on a handshake with $id', async ({ changes, ip }) => {
    const peer = await connected();
    peer.send(peer.handshake(changes?.(nowSeconds()), ip));
    await peer.closed;
    expect(peer.received.filter((message) => message.case === 'peerList')).toEqual([]);
  });

  it.each<{ id: string; offend: (peer: RawPeer) => void }>([
    { id: 'a second handshake', offend: (peer) => peer.send(peer.handshake()) },
    { id: 'an unasked pong', offend: (peer) => peer.send({ case: 'pong', value: {} }) },
    { id: 'an uptime of 101', offend: (peer) => peer.send({ case: 'ping', value: { uptime: 101 } }) },
    { id: 'GetPeerList without a filter', offend: (peer) => peer.send({ case: 'getPeerList', value: {} }) },
    {
      id: 'a peer list with a bad certificate',
      offend: (peer) => peer.send({ case: 'peerList', value: { claimedIpPorts: [{ ipPort: 1 }] } }),
    },
    { id: 'a frame above 2 MiB', offend: (peer) => peer.socket.write(Uint8Array.of(0, 0x20, 0, 1)) },
  ])('closes on $id', async ({ offend }) => {
    const peer = await greeted();
    offend(peer);
    await peer.closed;
  });
});

describe('a simulated validator as a signer', () => {
  const request = (source: 'cChainCall' | 'l1Call' | 'subnetToL1Conversion', chainId: Uint8Array) => {
    const { message, justification } = sandbox.examples('signing')[source];
    return { chainId, message: fromHex(message), justification: fromHex(justification) };
  };
  const cChain = () => idFromString(sandbox.cChainId);

  it('signs the examples of every chain', async () => {
    const peer = await greeted();
    const chainOf = { cChain: cChain(), l1: EMPTY_ID, subnet: EMPTY_ID };
    const examples = Object.entries(sandbox.examples('all'));
    expect(examples).toHaveLength(8);
    for (const [name, { message, justification }] of examples) {
      const bytes = fromHex(message);
      const isL1Call = name === 'l1Call';
      const chainId = isL1Call
        ? idFromString(sandbox.l1ChainId)
        : name.startsWith('cChain')
          ? chainOf.cChain
          : EMPTY_ID;
      peer.request({ chainId, message: bytes, justification: fromHex(justification) });
      const { appBytes } = await peer.next('appResponse');
      const signature = blst.signatureFromBytes(unpackSignatureResponse(appBytes));
      expect(blst.verify(bytes, blst.publicKeyFromBytes(validator.publicKey), signature)).toBe(true);
    }
  });

  it('answers compressed, like a node', async () => {
    const peer = await greeted();
    const before = peer.frames.length;
    peer.request(request('cChainCall', cChain()));
    await peer.next('appResponse');
    expect(peer.frames[before]?.[0]).toBe(0x12);
  });

  it.each([
    { id: 'an unknown handler', code: -2, appBytes: Uint8Array.of(9, 1) },
    ...HANDLERS_OF_NODES.map((handler) => ({
      id: `the handler ${handler}, which nodes have for each other`,
      code: -2,
      appBytes: Uint8Array.of(handler, 1),
    })),
    { id: 'no handler', code: -2, appBytes: new Uint8Array() },
    { id: 'bytes that are no request', code: -1, appBytes: Uint8Array.of(2, 0xff) },
    { id: 'an empty message', code: -1, appBytes: Uint8Array.of(2) },
  ])('refuses $id with $code', async ({ code, appBytes }) => {
    const peer = await greeted();
    peer.send({
      case: 'appRequest',
      value: { chainId: cChain(), requestId: 7, deadline: 10n ** 10n, appBytes },
    });
    expect(await peer.next('appError')).toMatchObject({ requestId: 7, errorCode: code });
  });

  it('refuses messages of another network, of another chain, and of no known kind', async () => {
    const peer = await greeted();
    const { message } = request('cChainCall', cChain());
    const unsigned = unpackUnsignedMessage(message);
    const cases = [
      { changes: { networkId: 1 }, code: -1, text: 'failed to sign message: wrong networkID' },
      {
        changes: { sourceChainId: new Uint8Array(32) },
        code: -1,
        text: 'failed to sign message: wrong SourceChainID',
      },
      { changes: { payload: Uint8Array.of(1, 2, 3) }, code: 1, text: 'failed to parse payload' },
    ];
    for (const { changes, code, text } of cases) {
      peer.request({ chainId: cChain(), message: packUnsignedMessage({ ...unsigned, ...changes }) });
      const { errorCode, errorMessage } = await peer.next('appError');
      expect([errorCode, errorMessage.startsWith(text)]).toEqual([code, true]);
    }
  });

  it('passes the codes of the P-chain on', async () => {
    const peer = await greeted();
    peer.request({ ...request('subnetToL1Conversion', EMPTY_ID), justification: new Uint8Array(31) });
    expect((await peer.next('appError')).errorCode).toBe(5);
    peer.request({ ...request('subnetToL1Conversion', EMPTY_ID), justification: new Uint8Array(32) });
    expect((await peer.next('appError')).errorCode).toBe(6);
  });

  it('is silent about chains it does not run, even ids on EVM chains, and expired deadlines', async () => {
    const peer = await greeted();
    const call = request('cChainCall', cChain());
    peer.request({ ...call, chainId: new Uint8Array(32).fill(3) });
    peer.request({ ...call, requestId: 2 });
    peer.send({
      case: 'appRequest',
      value: { chainId: cChain(), requestId: 1, deadline: 0n, appBytes: Uint8Array.of(2) },
    });
    await peer.roundTrip();
    expect(peer.received).toEqual([]);
    // No validator of the L1.
    const [, , , stranger] = sandbox.validators;
    const other = await greeted(stranger?.address);
    other.request(request('l1Call', idFromString(sandbox.l1ChainId)));
    await other.roundTrip();
    expect(other.received).toEqual([]);
    expect(stranger?.requests).toBe(1);
  });

  it('gives no signatures on the X-chain', async () => {
    const peer = await greeted();
    peer.request({ ...request('cChainCall', cChain()), chainId: idFromString(sandbox.xChainId) });
    expect((await peer.next('appError')).errorCode).toBe(-2);
  });
});

function version(major: number, minor: number, patch: number): Handshake['client'] {
  return { $typeName: 'p2p.Client', name: 'test', major, minor, patch };
}

function filter(bytes: Uint8Array, saltBytes = 0): Handshake['knownPeers'] {
  return { $typeName: 'p2p.BloomFilter', filter: bytes, salt: new Uint8Array(saltBytes) };
}

function infinity(): Uint8Array {
  return Uint8Array.from({ length: 96 }, (_, i) => (i === 0 ? 0xc0 : 0));
}
