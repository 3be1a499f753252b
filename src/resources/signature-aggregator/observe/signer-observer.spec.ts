import { describe, expect, it } from '@jest/globals';
import { testSecretKey } from '../../../../test/support/signatures/in-memory-network.js';
import { bls } from '../../../avalanche/bls/bls.js';
import { PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import type { ClaimedSignature } from '../../../avalanche/signature-aggregation/bisect.js';
import type { ValidatorAnswer } from '../../../avalanche/signature-aggregation/collection-request.js';
import {
  type CanonicalValidatorSet,
  makeCanonicalValidatorSet,
} from '../../../avalanche/warp/canonical-validator-set.js';
import type { Network, ValidatorSetAtHeight } from '../../../platform/networks/network.js';
import type { PeerConnections } from '../peers/peer-connections.js';
import type { SignerObservationRepository, SignerOutcome } from './signer-observation.repository.js';
import { type CollectionObserver, SignerObserver } from './signer-observer.js';

const L1 = 'an L1';
const SUBNETS: Record<string, string> = {
  [PRIMARY_NETWORK_ID]: PRIMARY_NETWORK_ID,
  'C-chain': PRIMARY_NETWORK_ID,
  'chain of the L1': L1,
};

/** Nodes 0 to 3 under the keys of these numbers. */
const setOf = (keys: readonly number[]) =>
  makeCanonicalValidatorSet(
    keys.map((key, index) => ({
      nodeId: `NodeID-${index}`,
      publicKey: bls.publicKeyOf(testSecretKey(key)).toCompressed(),
      weight: 1n,
    })),
  );
const latest = setOf([0, 1, 2, 3]);

const indexOf = ({ validators }: CanonicalValidatorSet, node: number): number =>
  validators.findIndex(({ nodeIds }) => nodeIds.includes(`NodeID-${node}`));

describe(SignerObserver.name, () => {
  type Of = Pick<ValidatorSetAtHeight, 'subnetId' | 'set'>;

  /** Node 0 signs, 1 refuses, 2 is silent, and 3 signs wrongly. */
  const collect = (observed: CollectionObserver, { set }: Of): void => {
    const answers: ValidatorAnswer[] = ['signature', 'app_error', 'timed_out', 'wrong_signature'];
    for (const [place, kind] of answers.entries()) {
      const nodeId = `NodeID-${place}`;
      const index = indexOf(set, place);
      observed.note({ kind, index, nodeId, text: kind, isFinal: false, elapsedMs: 1 });
      if (kind === 'signature') observed.signed([index]);
    }
    observed.end();
  };

  const recorded = async (source: string, at: Of, happen = collect) => {
    const written: SignerOutcome[] = [];
    const repository: Pick<SignerObservationRepository, 'saveOutcomes'> = {
      saveOutcomes: async (_, rows) => void written.push(...rows),
    };
    const network: Pick<Network, 'name' | 'getSubnetOf' | 'getValidatorSet'> = {
      name: 'fuji',
      getSubnetOf: async (blockchainId) => SUBNETS[blockchainId] ?? '',
      getValidatorSet: async ({ subnetId }) => ({ subnetId, pChainHeight: 9n, set: latest }),
    };
    const observer = new SignerObserver({} as PeerConnections, repository as SignerObservationRepository);
    const observed = observer.begin(network as Network, source, { pChainHeight: 1n, ...at });
    happen(observed, at);
    await new Promise((resolve) => setImmediate(resolve));
    await observer.beforeApplicationShutdown();
    return written
      .map(({ subnetId, nodeId, signedAgoMs, isOwnRefusal, wrongKeyAgoMs }) => {
        const outcome = signedAgoMs !== null ? 'signed' : wrongKeyAgoMs !== null ? 'wrong' : isOwnRefusal;
        return [subnetId, nodeId, outcome];
      })
      .sort();
  };

  it.each([
    ['the P-chain, which every validator runs', PRIMARY_NETWORK_ID, L1],
    ['a chain of their subnet', 'chain of the L1', L1],
    ['a chain of the primary network', 'C-chain', PRIMARY_NETWORK_ID],
  ])('records who signs and who does not when validators are asked about %s', async (_, source, subnetId) => {
    expect(await recorded(source, { subnetId, set: latest })).toEqual([
      [subnetId, 'NodeID-0', 'signed'],
      [subnetId, 'NodeID-1', true],
      [subnetId, 'NodeID-2', true],
      [subnetId, 'NodeID-3', 'wrong'],
    ]);
  });

  it.each([
    ['C-chain', L1],
    ['chain of the L1', PRIMARY_NETWORK_ID],
  ])(
    'holds nothing against validators about the %s, which those of %s need not run',
    async (source, subnetId) => {
      expect(await recorded(source, { subnetId, set: latest })).toEqual([[subnetId, 'NodeID-0', 'signed']]);
    },
  );

  it('leaves out validators that have another key in the latest set, or are not in it', async () => {
    const former = setOf([0, 1, 2, 7, 8]);
    const nodeIds = (await recorded('C-chain', { subnetId: PRIMARY_NETWORK_ID, set: former })).map(
      ([, nodeId]) => nodeId,
    );
    expect(nodeIds).toEqual(['NodeID-0', 'NodeID-1', 'NodeID-2']);
  });

  it('records what is proved after the end, except of keys that several nodes share', async () => {
    const prove = (observed: CollectionObserver, { set }: Of): void => {
      const claimOf = (node: number): ClaimedSignature => {
        const secretKey = testSecretKey(node);
        const publicKey = bls.publicKeyOf(secretKey);
        return { index: indexOf(set, node), publicKey, signature: bls.sign(new Uint8Array(1), secretKey) };
      };
      observed.end();
      observed.proved({ valid: [claimOf(0)], invalid: [claimOf(1), claimOf(2)] });
    };
    const set = setOf([0, 1, 2, 2]);
    expect(await recorded('C-chain', { subnetId: PRIMARY_NETWORK_ID, set }, prove)).toEqual([
      [PRIMARY_NETWORK_ID, 'NodeID-0', 'signed'],
      [PRIMARY_NETWORK_ID, 'NodeID-1', 'wrong'],
    ]);
  });
});
