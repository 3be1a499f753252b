import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { packTypedBlob } from '../../src/avalanche/codec/codec.js';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString } from '../../src/avalanche/ids/id.js';
import { makePChainMessage } from '../../src/avalanche/warp/p-chain-message.js';
import { packHash } from '../../src/avalanche/warp/payload/hash.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { TestService } from '../support/harness/service.js';

const HEIGHT_RULE =
  'pChainHeight: must be a P-chain height up to 9007199254740991, or 0 for the proposed one';

/** Messages about L1s that no release of avalanchego has yet. */
const LATER_TYPES = [
  { typeId: 4, text: 'type 4 (perhaps ValidatorSetMetadata)' },
  { typeId: 5, text: 'type 5 (perhaps ValidatorSetDiff)' },
  { typeId: 6, text: 'type 6 (perhaps ValidatorSetMerkleCommitment)' },
  { typeId: 7, text: 'type 7' },
] as const;

const ofType = (typeId: number): Uint8Array =>
  packTypedBlob(typeId, (packer) => packer.packFixedBytes(new Uint8Array(32).fill(5)));

const ERROR_TEXTS: Record<number, string> = {
  400: 'Bad Request',
  404: 'Not Found',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

describe('POST aggregateSignatures', () => {
  let sandbox: Sandbox;
  let service: TestService;
  let garbageNode: Server;
  let message: string;

  const messageOf = (networkId: number, sourceChainId: Uint8Array) =>
    toHex(
      packUnsignedMessage({
        networkId,
        sourceChainId,
        payload: packHash({ hash: new Uint8Array(32).fill(1) }),
      }),
    );

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 5 });
    garbageNode = createServer((_request, response) => response.end('<html>not a node</html>'));
    await new Promise<void>((resolve) => garbageNode.listen(0, '127.0.0.1', resolve));
    const address = garbageNode.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    service = await TestService.start({
      nodeUrl: sandbox.url,
      env: { MAINNET_NODE_URL: `http://127.0.0.1:${address.port}` },
    });
    message = messageOf(sandbox.networkId, idFromString(sandbox.cChainId));
  });

  afterAll(async () => {
    await sandbox.stop();
    garbageNode.close();
  });

  const refused = async (body: unknown, status: number, text: string | RegExp, network = 'fuji') => {
    const answer = await service.aggregate(body, network);
    expect(answer).toEqual({
      status,
      contentType: expect.stringMatching(/^application\/json/),
      body: {
        message: typeof text === 'string' ? text : expect.stringMatching(text),
        statusCode: status,
        error: ERROR_TEXTS[status],
      },
    });
  };

  it.each<[string, (valid: string) => unknown, string | RegExp]>([
    ['bad hex', () => ({ message: 'zz' }), 'message: must be hex digits with an optional 0x prefix'],
    ['odd length', () => ({ message: '0x123' }), 'message: must have an even number of hex digits'],
    [
      'a truncated message',
      (valid) => ({ message: valid.slice(0, -2) }),
      /^message: is neither an unsigned Warp message nor/,
    ],
    [
      'trailing bytes',
      (valid) => ({ message: `${valid}00` }),
      /^message: is neither an unsigned Warp message nor/,
    ],
    [
      'an oversized message',
      () => ({ message: '00'.repeat(30_000) }),
      'message: must not be longer than 24714 bytes',
    ],
    [
      'a payload that nobody signs',
      () => ({
        message: toHex(
          packUnsignedMessage({
            networkId: 12345,
            sourceChainId: new Uint8Array(32),
            payload: new Uint8Array([1]),
          }),
        ),
      }),
      /^message: its payload is neither a hash nor an addressed call/,
    ],
    ...LATER_TYPES.map(({ typeId, text }): [string, () => unknown, string] => [
      `a message of the P-chain of type ${typeId}`,
      () => ({
        message: toHex(
          packUnsignedMessage(makePChainMessage({ networkId: 12345, l1Message: ofType(typeId) })),
        ),
      }),
      `message: is of ${text}, which the P-chain does not sign as far as this version knows`,
    ]),
    ...LATER_TYPES.map(({ typeId, text }): [string, () => unknown, string] => [
      `a justification of type ${typeId}`,
      () => ({ justification: toHex(ofType(typeId)) }),
      `justification: is of ${text}, which the P-chain does not sign as far as this version knows`,
    ]),
    [
      'bad hex of the justification',
      (valid) => ({ message: valid, justification: '0xg1' }),
      'justification: must be hex digits with an optional 0x prefix',
    ],
    ['neither message nor justification', () => ({}), 'either message or justification must be provided'],
    [
      'both empty',
      () => ({ message: '0x', justification: '' }),
      'either message or justification must be provided',
    ],
    [
      'a quorum above 100',
      (valid) => ({ message: valid, quorumPercentage: 101 }),
      'quorumPercentage: must be an integer from 0 to 100',
    ],
    [
      'a negative quorum',
      (valid) => ({ message: valid, quorumPercentage: -1 }),
      'quorumPercentage: must be an integer from 0 to 100',
    ],
    [
      'a quorum that is no integer',
      (valid) => ({ message: valid, quorumPercentage: 66.6 }),
      'quorumPercentage: must be an integer from 0 to 100',
    ],
    [
      'a quorum of another type',
      (valid) => ({ message: valid, quorumPercentage: '67' }),
      'quorumPercentage: must be an integer from 0 to 100',
    ],
    [
      'a buffer above 100',
      (valid) => ({ message: valid, quorumPercentageBuffer: 101 }),
      /quorumPercentageBuffer: must be an integer from 0 to 100/,
    ],
    [
      'a sum above 100',
      (valid) => ({ message: valid, quorumPercentage: 80, quorumPercentageBuffer: 21 }),
      /must not exceed 100$/,
    ],
    [
      'a sum above 100 with the default quorum',
      (valid) => ({ message: valid, quorumPercentageBuffer: 50 }),
      /must not exceed 100$/,
    ],
    ['a height of another type', (valid) => ({ message: valid, pChainHeight: 'proposed' }), HEIGHT_RULE],
    ['a negative height', (valid) => ({ message: valid, pChainHeight: -1 }), HEIGHT_RULE],
    ['a fractional height', (valid) => ({ message: valid, pChainHeight: 1.5 }), HEIGHT_RULE],
    ['a height beyond 2^53', (valid) => ({ message: valid, pChainHeight: 2 ** 53 }), HEIGHT_RULE],
    [
      'a quorum beyond 2^53, with one sentence',
      (valid) => ({ message: valid, quorumPercentage: 1e308 }),
      'quorumPercentage: must be an integer from 0 to 100',
    ],
    [
      'a height in the future',
      (valid) => ({ message: valid, pChainHeight: 999_999_999 }),
      /^pChainHeight: 999999999 is above the network's \d+$/,
    ],
    [
      'a bad subnet id',
      (valid) => ({ message: valid, signingSubnetId: 'nonsense' }),
      'signingSubnetId: must be a 32-byte id, hex or cb58 encoded',
    ],
    [
      'a subnet id with a wrong checksum',
      (valid) => ({ message: valid, signingSubnetId: '11111111111111111111111111111111LpoYZ' }),
      'signingSubnetId: must be a 32-byte id, hex or cb58 encoded',
    ],
    [
      'an unknown signing subnet',
      (valid) => ({ message: valid, signingSubnetId: `0x${'ab'.repeat(32)}` }),
      /^signingSubnetId: unknown subnet \w+ on fuji$/,
    ],
    [
      'an unknown source chain',
      () => ({ message: messageOf(12345, new Uint8Array(32).fill(0xcd)) }),
      /^message: unknown source blockchain \w+ on fuji$/,
    ],
    [
      'a message of another network',
      () => ({ message: messageOf(1, new Uint8Array(32)) }),
      'message: is for network 1, but fuji is network 12345',
    ],
    ['an unknown property', (valid) => ({ message: valid, quorum: 67 }), 'unknown property quorum'],
    [
      'a justification that nothing follows from',
      () => ({ justification: '0102' }),
      /^justification: no message can be derived from it/,
    ],
    [
      'the justification of an unknown subnet',
      () => ({ justification: 'ab'.repeat(32) }),
      /^justification: \w+ is not a subnet of fuji; /,
    ],
    ['an array', () => [], 'the body must be a JSON object'],
    ['null', () => null, 'the body must be a JSON object'],
    ['a number', () => 7, 'the body must be a JSON object'],
  ])('answers 400 to %s', async (_name, body, text) => {
    await refused(body(message), 400, text);
  });

  it('answers 400 to an unknown network', async () => {
    await refused({ message }, 400, 'network: must be one of mainnet, fuji, testnet', 'goerli');
  });

  it.each<[string, string, string, Record<string, string>]>([
    ['malformed JSON', '{"message": ', '/v1/signatureAggregator/fuji/aggregateSignatures', {}],
    ['an empty body', '', '/v1/signatureAggregator/fuji/aggregateSignatures', {}],
    [
      'a body of another type',
      'message=00',
      '/v1/signatureAggregator/fuji/aggregateSignatures',
      { 'content-type': 'application/x-www-form-urlencoded' },
    ],
    [
      'too large a body',
      JSON.stringify({ message: '00'.repeat(200_000) }),
      '/v1/signatureAggregator/fuji/aggregateSignatures',
      {},
    ],
    [
      'a prototype in JSON',
      '{"__proto__": {"message": "00"}}',
      '/v1/signatureAggregator/fuji/aggregateSignatures',
      {},
    ],
    ['a path with a bad escape', '{}', '/v1/%zz', {}],
  ])('answers 400 in the one error body to %s', async (_name, body, path, headers) => {
    const answer = await service.post(path, body, headers);
    expect(answer).toEqual({
      status: 400,
      contentType: expect.stringMatching(/^application\/json/),
      body: { message: expect.stringMatching(/./), statusCode: 400, error: 'Bad Request' },
    });
  });

  it.each([
    '/v1/unknown',
    '/v1',
    '/v2/signatureAggregator/fuji/aggregateSignatures',
    '/v1/signatureAggregator/fuji',
  ])('answers 404 in the one error body to the unknown route %s', async (path) => {
    const answer = await service.post(path, '{}');
    expect(answer.status).toBe(404);
    expect(answer.contentType).toMatch(/^application\/json/);
    expect(answer.body).toEqual({ message: `Cannot POST ${path}`, statusCode: 404, error: 'Not Found' });
  });

  it('answers 400 in the one error body to bytes that are not HTTP', async () => {
    const { hostname, port } = new URL(service.url);
    const answer = await new Promise<string>((resolve, reject) => {
      let received = '';
      const socket = connect(Number(port), hostname, () =>
        socket.write('\x16\x03\x01 this is TLS, or so\r\n\r\n'),
      );
      socket.on('data', (chunk) => (received += chunk.toString()));
      socket.on('end', () => resolve(received));
      socket.on('error', reject);
    });
    expect(answer).toContain('application/json');
    expect(answer).toContain('"statusCode":400');
    expect(answer).toMatch(/^x-request-id: [0-9a-f-]{36}\r$/m);
  });

  it.each<[string, string, RequestInit, number]>([
    ['a success', '/v1/live-check', {}, 200],
    ['a route that does not exist', '/v1/unknown', {}, 404],
    ['a bad escape', '/v1/%zz', {}, 400],
    ['a bad body', '/v1/signatureAggregator/fuji/aggregateSignatures', { method: 'POST', body: '{' }, 400],
  ])('names the request as the caller does: %s', async (_name, path, init, status) => {
    const headers = { 'content-type': 'application/json', 'x-request-id': 'caller:1' };
    const answer = await fetch(`${service.url}${path}`, { ...init, headers });
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([status, 'caller:1']);
    await answer.body?.cancel();
  });

  it('answers 502 while a node answers nonsense', async () => {
    await refused({ message }, 502, /^the network's node failed: info\.getNetworkID: /, 'mainnet');
  });

  it('answers 503 with the facts when too little weight can sign', async () => {
    for (const validator of sandbox.validators.slice(0, 2)) {
      validator.setBehaviour({ kind: 'refuse', code: -2, message: 'no' });
    }
    try {
      await refused(
        {
          message: messageOf(sandbox.networkId, idFromString(sandbox.l1ChainId)),
          signingSubnetId: '11111111111111111111111111111111LpoYY',
        },
        503,
        /^failed to collect a threshold of signatures: 67 % needed, connected weight .* signed weight .* 5 of 5 validators asked; .*2× refused with code -2 \(no\)/, // beside those that are late
      );
    } finally {
      for (const validator of sandbox.validators) validator.setBehaviour('honest');
    }
  });

  it('keeps answering after all of that', async () => {
    expect((await service.aggregate({ message })).status).toBe(201);
  });

  it('answers 503 while a node is away', async () => {
    const lone = await TestService.start({ nodeUrl: 'http://127.0.0.1:9', workers: 0 });
    const answer = await lone.aggregate({ message });
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({
      message: expect.stringMatching(/^the network's node failed: info\.getNetworkID/),
    });
  });

  it('answers 503 and names the setting for a network without a node', async () => {
    const lone = await TestService.start({ nodeUrl: sandbox.url, workers: 0 });
    const answer = await lone.aggregate({ message }, 'mainnet');
    expect(answer).toMatchObject({
      status: 503,
      body: { message: 'mainnet is not configured: set NETWORKS=mainnet or MAINNET_NODE_URL' },
    });
  });
});
