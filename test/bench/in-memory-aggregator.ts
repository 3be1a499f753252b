import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bls, type Bls, type BlsPublicKey, type BlsSignature } from '../../src/avalanche/bls/bls.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { unpackSignatureResponse } from '../../src/avalanche/p2p/messages/acp118.js';
import type { AppRequestNetwork } from '../../src/avalanche/p2p/network/app-request-network.js';
import { TlsIdentity } from '../../src/avalanche/p2p/peer/tls-identity.js';
import { collectSignatures } from '../../src/avalanche/signature-aggregation/signature-aggregator.js';
import type { CanonicalValidatorSet } from '../../src/avalanche/warp/canonical-validator-set.js';
import { unpackUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import { NetworkPeers } from '../../src/resources/signature-aggregator/peers/network-peers.js';
import { type BenchRequest, BenchRequestSchema } from './messages.js';
import { networkAt } from '../support/network.js';

/**
 * The reference of the service: the same library behind a bare HTTP server. No Temporal, no Postgres, no framework, and the validator set
 * is read once at the start, so this is the least that an aggregator in this language can take. Two ways to verify: POST /aggregate as the
 * service does, POST /verify-each every signature by itself.
 */

const QUORUM_PERCENTAGE = 67;
const LIMITS = {
  timeoutMs: 120_000,
  connectTimeoutMs: 120_000,
  bufferTimeoutMs: 120_000,
  requestTimeoutMs: 5_000,
  refusalRetryMs: 5_000,
  executionRetryMs: 20_000,
};

/** The network and the library's BLS such that every signature is verified by itself as soon as it comes in. */
function verifyingEach(connected: Connected, message: Uint8Array): { peers: AppRequestNetwork; bls: Bls } {
  const parsed = new Map<string, BlsSignature>();
  return {
    peers: {
      ...connected.peers,
      appRequest: async (request) => {
        const answer = await connected.peers.appRequest(request);
        const bytes = unpackSignatureResponse(answer);
        const signature = bls.signatureFromBytes(bytes);
        const publicKey = connected.publicKeys.get(request.nodeId);
        if (publicKey === undefined || !bls.verify(message, publicKey, signature)) {
          throw new Error(`${request.nodeId} lies`);
        }
        parsed.set(toHex(bytes), signature);
        return answer;
      },
    },
    // Not parsed a second time: only the verification is to make the difference.
    bls: {
      ...bls,
      uncheckedSignatureFromBytes: (bytes) =>
        parsed.get(toHex(bytes)) ?? bls.uncheckedSignatureFromBytes(bytes),
    },
  };
}

const ignore = (): void => undefined;

interface Connected {
  peers: AppRequestNetwork;
  set: CanonicalValidatorSet;
  publicKeys: ReadonlyMap<string, BlsPublicKey>;
}

async function connect(nodeUrl: string): Promise<Connected> {
  const network = networkAt([nodeUrl], {
    sandbox: true,
    timeoutMs: LIMITS.requestTimeoutMs,
  });
  const at = await network.getValidatorSet({ subnetId: PRIMARY_NETWORK_ID, pChainHeight: 0n });
  const logger = { debug: ignore, log: ignore, warn: ignore };
  const started = await NetworkPeers.start(network, TlsIdentity.generate(), logger);
  const publicKeys = at.set.validators.flatMap(({ nodeIds, publicKey }) =>
    nodeIds.map((nodeId): [string, BlsPublicKey] => [nodeId, publicKey]),
  );
  return { peers: methodsOf(started.use(at)), set: at.set, publicKeys: new Map(publicKeys) };
}

/** As an object that can be spread. */
function methodsOf(network: AppRequestNetwork): AppRequestNetwork {
  return {
    isConnected: (nodeId) => network.isConnected(nodeId),
    track: (nodeIds) => network.track(nodeIds),
    onConnected: (listener) => network.onConnected(listener),
    appRequest: (request) => network.appRequest(request),
    connectionState: (nodeId) => network.connectionState(nodeId),
  };
}

async function aggregate(
  { message: hex, justification }: BenchRequest,
  verifyEach: boolean,
): Promise<string> {
  const message = fromHex(hex);
  const { peers, bls: chosen } = verifyEach
    ? verifyingEach(connected, message)
    : { peers: connected.peers, bls };
  const { bytes } = await collectSignatures(peers, chosen, {
    message,
    justification: fromHex(justification ?? ''),
    sourceChainId: unpackUnsignedMessage(message).sourceChainId,
    validatorSet: connected.set,
    quorumPercentage: QUORUM_PERCENTAGE,
    quorumPercentageBuffer: 0,
    limits: LIMITS,
    acceptQuorumAtTimeout: true,
  });
  return toHex(bytes);
}

async function readRequest(request: IncomingMessage): Promise<BenchRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return BenchRequestSchema.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
}

const [nodeUrl] = process.argv.slice(2);
if (nodeUrl === undefined) throw new Error('the URL of a node is needed');
const connected = await connect(nodeUrl);

const server = createServer((request, response) => {
  readRequest(request)
    .then((body) => aggregate(body, request.url === '/verify-each'))
    .then(
      (signedMessage) => {
        response.writeHead(201, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ signedMessage }));
      },
      (error: unknown) => {
        response.writeHead(500);
        response.end(String(error));
      },
    );
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ url: `http://127.0.0.1:${port}` });
});
process.once('SIGTERM', () => process.exit(0));
