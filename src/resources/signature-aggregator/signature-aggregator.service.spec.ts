import { beforeEach, describe, expect, it } from '@jest/globals';
import { bls } from '../../avalanche/bls/bls.js';
import { toHex } from '../../avalanche/ids/hex.js';
import { assembleSignedMessage } from '../../avalanche/signature-aggregation/assemble-signed-message.js';
import { makeCanonicalValidatorSet } from '../../avalanche/warp/canonical-validator-set.js';
import type { ValidatorSetAtHeight } from '../../platform/networks/network.js';
import type { Networks } from '../../platform/networks/networks.module.js';
import type { TemporalClient } from '../../platform/temporal/temporal.module.js';
import { makeAggregationInput } from '../../../test/support/signatures/aggregation-inputs.js';
import { message } from '../../../test/support/signatures/collect-in-memory.js';
import { testSecretKey } from '../../../test/support/signatures/in-memory-network.js';
import type { AggregationMetrics } from './aggregation-metrics.js';
import type { SignatureCollector } from './collect/signature-collector.js';
import type { Deliveries } from './delivery/deliveries.js';
import { type AggregateSignaturesRequest } from './dto/aggregate-signatures.request.js';
import type { RequestedMessages } from './message/requested-messages.js';
import type { PeerConnections } from './peers/peer-connections.js';
import type { ResultListener } from './record/result-listener.js';
import type { RunRecorder } from './record/run-recorder.js';
import type { RunResults } from './record/run-results.js';
import { SignatureAggregatorService } from './signature-aggregator.service.js';
import type { SignatureRepository } from './store/signature.repository.js';
import type { StoredAnswers } from './store/stored-answers.js';

/** Validators with the keys 0 to 3. */
function at(weights: readonly bigint[]): ValidatorSetAtHeight {
  const entries = weights.map((weight, key) => ({
    nodeId: `NodeID-${key}`,
    publicKey: bls.publicKeyOf(testSecretKey(key)).toCompressed(),
    weight,
  }));
  return { subnetId: 'subnet', pChainHeight: 1n, set: makeCanonicalValidatorSet(entries) };
}

function signedFor({ set }: ValidatorSetAtHeight): string {
  const signatures = new Map(
    set.validators.map(({ nodeIds: [nodeId = ''] }, index) => [
      index,
      bls.sign(message, testSecretKey(Number(nodeId.slice('NodeID-'.length)))),
    ]),
  );
  const request = { message, validatorSet: set, quorumPercentage: 67, quorumPercentageBuffer: 0, signatures };
  return toHex(assembleSignedMessage(bls, request).bytes);
}

describe(SignatureAggregatorService.name, () => {
  const equal = at([1n, 1n, 1n, 1n]);
  /** The last of four equal ones is not needed, and has most of the weight now. */
  const last = equal.set.validators[3]?.nodeIds[0];
  const unequal = at([0, 1, 2, 3].map((key) => (`NodeID-${key}` === last ? 40n : 1n)));
  let now: ValidatorSetAtHeight;
  /** Runs while validators are asked. */
  let whileCollecting: () => void;
  let collections: number;
  let releases: number;
  let record: () => Promise<string>;
  let epochHeight: () => Promise<string>;

  beforeEach(() => {
    releases = 0;
    record = async () => 'run';
    now = equal;
    whileCollecting = () => undefined;
    collections = 0;
    epochHeight = async () => '7';
  });

  const service = () => {
    const collector = {
      release: () => (releases += 1),
      join: async (_: unknown, given: { at: ValidatorSetAtHeight }) => {
        collections += 1;
        const signedMessage = signedFor(given.at);
        whileCollecting();
        return { status: 'collected', collected: { signedMessage } };
      },
    };
    return new SignatureAggregatorService(
      {
        byName: () => ({
          name: 'fuji',
          getSigningSet: async ({ pChainHeight }: { pChainHeight: bigint }) =>
            pChainHeight === 8n ? unequal : now,
        }),
      } as unknown as Networks,
      {
        ofBody: async () => makeAggregationInput('request'),
        ofTransaction: async () => ({
          ...makeAggregationInput('transaction'),
          pChainHeight: await epochHeight(),
        }),
      } as unknown as RequestedMessages,
      {} as Deliveries,
      {} as SignatureRepository,
      { find: async () => ({ answer: undefined, hasSignatures: false }) } as unknown as StoredAnswers,
      { record: () => record() } as unknown as RunRecorder,
      {} as RunResults,
      {
        waitFor: () => ({ promise: Promise.resolve('saved'), cancel: () => undefined }),
      } as unknown as ResultListener,
      { during: (_: string, work: () => unknown) => work() } as unknown as AggregationMetrics,
      { hasWorker: true } as unknown as TemporalClient,
      { includes: () => true } as never,
      collector as unknown as SignatureCollector,
      { takesWork: true } as unknown as PeerConnections,
    );
  };

  const ask = async () => {
    const body = { network: 'fuji', quorumPercentage: 67 } as unknown as AggregateSignaturesRequest & {
      network: 'fuji';
    };
    return (await service().aggregate(body, { requestId: 'id', owner: '' })).signedMessage;
  };

  it('asks once while the validators stay what they are', async () => {
    expect(await ask()).toBe(signedFor(equal));
    expect(collections).toBe(1);
  });

  it('keeps no outcome of a request that could not be recorded, for no run asks for it', async () => {
    await ask();
    expect(releases).toBe(0);
    record = () => Promise.reject(new Error('Temporal is away'));
    await expect(ask()).rejects.toThrow('Temporal is away');
    expect(releases).toBe(1);
  });

  it('begins again when the validators have changed, and the message does not hold for those of now', async () => {
    whileCollecting = () => (now = unequal);
    expect(await ask()).toBe(signedFor(unequal));
    expect(collections).toBe(2);
  });

  it('gives a message that holds for those of now, whoever they were before', async () => {
    whileCollecting = () => (now = at([2n, 2n, 2n, 2n]));
    expect(await ask()).toBe(signedFor(equal));
    expect(collections).toBe(1);
  });

  it('does not begin again for ever', async () => {
    whileCollecting = () => (now = now === equal ? unequal : equal);
    await ask();
    expect(collections).toBe(4);
  });

  describe('by transaction', () => {
    const askByTransaction = async () => {
      const request = { network: 'fuji', txHash: 'transaction' } as const;
      return (await service().aggregateByTransaction(request, { requestId: 'id', owner: '' })).signedMessage;
    };

    it('asks once in one epoch', async () => {
      expect(await askByTransaction()).toBe(signedFor(equal));
      expect(collections).toBe(1);
    });

    it('begins again when the epoch has ended meanwhile', async () => {
      whileCollecting = () => {
        epochHeight = async () => '8';
      };
      expect(await askByTransaction()).toBe(signedFor(unequal));
      expect(collections).toBe(2);
    });

    it('gives what it has when the next epoch is not known', async () => {
      whileCollecting = () => {
        epochHeight = () => Promise.reject(new Error('the node is away'));
      };
      expect(await askByTransaction()).toBe(signedFor(equal));
      expect(collections).toBe(1);
    });
  });
});
