import { afterEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { bls } from '../../src/avalanche/bls/bls.js';
import { noble } from '../../src/avalanche/bls/noble.js';
import { idFromString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { silentLogger } from '../support/silent-logger.js';
import { PeerNetwork } from '../../src/avalanche/p2p/network/peer-network.js';
import { TlsIdentity } from '../../src/avalanche/p2p/peer/tls-identity.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../src/avalanche/rpc/platform-client.js';
import { AggregationError } from '../../src/avalanche/signature-aggregation/aggregation.error.js';
import { collectSignatures } from '../../src/avalanche/signature-aggregation/signature-aggregator.js';
import { makeCanonicalValidatorSet } from '../../src/avalanche/warp/canonical-validator-set.js';
import { unpackMessage } from '../../src/avalanche/warp/message.js';
import { packHash } from '../../src/avalanche/warp/payload/hash.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import { verifyMessage } from '../../src/avalanche/warp/verify-message.js';
import { Versions } from '../../sandbox/world/versions.js';
import type { BehaviourInput } from '../../sandbox/behaviour.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { NODE_PATIENCE_MS } from '../support/node-patience.js';

/** For what ends when there are signatures enough, however busy the machine is. */
const LONG_MS = 60_000;

/** The library alone over real connections: no service, so that each fault takes a fraction of a second. */
describe('an aggregation of which one of five validators misbehaves', () => {
  let sandbox: Sandbox;
  let peers: PeerNetwork;

  afterEach(async () => {
    await peers.close();
    await sandbox.stop();
  });

  async function collect(behaviour: BehaviourInput, quorumPercentage: number, refusalRetryMs = 300) {
    sandbox = await startSandbox({ validators: 5 });
    sandbox.validators[2]?.setBehaviour(behaviour);
    peers = new PeerNetwork({
      networkId: sandbox.networkId,
      identity: TlsIdentity.generate(),
      clientVersion: new Versions().node,
      allowPrivateAddresses: true,
      logger: silentLogger,
    });
    peers.setAddresses(sandbox.validators.map(({ nodeId, port }) => ({ nodeId, host: '127.0.0.1', port })));
    const platform = new PlatformClient(
      new JsonRpcClient({ urls: [sandbox.url], timeoutMs: NODE_PATIENCE_MS }),
    );
    const validatorSet = makeCanonicalValidatorSet(
      await platform.getValidatorsAt({ subnetId: PRIMARY_NETWORK_ID, height: 'proposed' }),
    );
    const sourceChainId = idFromString(sandbox.cChainId);
    const message = packUnsignedMessage({
      networkId: sandbox.networkId,
      sourceChainId,
      payload: packHash({ hash: randomBytes(32) }),
    });
    const signed = await collectSignatures(peers, bls, {
      message,
      justification: new Uint8Array(0),
      sourceChainId,
      validatorSet,
      quorumPercentage,
      quorumPercentageBuffer: 0,
      acceptQuorumAtTimeout: true,
      limits: {
        timeoutMs: LONG_MS,
        connectTimeoutMs: LONG_MS,
        bufferTimeoutMs: LONG_MS,
        requestTimeoutMs: LONG_MS,
        refusalRetryMs,
        executionRetryMs: LONG_MS,
      },
    });
    verifyMessage({
      message: unpackMessage(signed.bytes),
      networkId: sandbox.networkId,
      validatorSet,
      quorumNumerator: quorumPercentage,
      quorumDenominator: 100,
      bls: noble,
    });
    return signed;
  }

  it.each<BehaviourInput>([
    { kind: 'slow', delayMs: 60_000 },
    { kind: 'silent' },
    { kind: 'wrong-signature' },
    { kind: 'infinity-signature' },
    { kind: 'garbage' },
    { kind: 'garbage', length: 96 },
    { kind: 'garbage', length: 95 },
    { kind: 'garbage', length: 1_000_000 },
    { kind: 'garbage-frames' },
    { kind: 'flood', messages: 100_000 },
    { kind: 'disconnect' },
    { kind: 'refuse', code: -2, message: 'no' },
    { kind: 'refuse', code: 1, message: 'x'.repeat(10_000) },
    { kind: 'refuse-connections' },
    { kind: 'not-listening' },
  ])('loses only its weight: %o', async (behaviour) => {
    expect((await collect(behaviour, 80)).signers).toHaveLength(4);
  });

  it.each<BehaviourInput>([
    { kind: 'slow', delayMs: 200 },
    { kind: 'refuse', code: 1, message: 'behind by a block', times: 1 },
  ])('gets its signature all the same when it does so for a moment: %o', async (behaviour) => {
    // Long enough for whatever else this machine does: what is waited for comes at once otherwise.
    expect((await collect(behaviour, 100, LONG_MS)).signers).toHaveLength(5);
  });

  it('gets its signature when it is slow to execute what it has accepted', async () => {
    const behind: BehaviourInput = { kind: 'refuse', code: 3, message: 'unknown message', times: 2 };
    expect((await collect(behind, 100, 1)).signers).toHaveLength(5);
  });

  it('fails when the quorum needs it', async () => {
    const error: unknown = await collect({ kind: 'wrong-signature' }, 81).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AggregationError);
    expect(error).toMatchObject({ code: 'INSUFFICIENT_SIGNATURES', isFinal: true });
    expect(error instanceof Error && error.message).toMatch(
      /signed weight \d+ of \d+ \(80 %\), 5 of 5 validators asked; 1× wrong signature/,
    );
  });
});
