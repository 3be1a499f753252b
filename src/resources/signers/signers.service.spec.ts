import { describe, expect, it } from '@jest/globals';
import { idToCb58 } from '../../avalanche/ids/text.js';
import { makeCanonicalValidatorSet } from '../../avalanche/warp/canonical-validator-set.js';
import { bls } from '../../avalanche/bls/bls.js';
import type { Networks } from '../../platform/networks/networks.module.js';
import type {
  ObservedSigner,
  SignerObservationRepository,
} from '../signature-aggregator/observe/signer-observation.repository.js';
import { testSecretKey } from '../../../test/support/signatures/in-memory-network.js';
import { SignersService } from './signers.service.js';

/** The primary network. */
const subnetId = idToCb58(new Uint8Array(32));

describe(SignersService.name, () => {
  const nowSeconds = Date.now() / 1_000;

  /** The state of a connected validator. */
  const stateOf = async (seen: Partial<ObservedSigner>) => {
    const publicKey = bls.publicKeyOf(testSecretKey(0)).toCompressed();
    const entries = [{ nodeId: 'NodeID-0', publicKey, weight: 1n }];
    const set = makeCanonicalValidatorSet(entries);
    const network = {
      name: 'fuji',
      pChain: { getValidatorsAt: async () => entries },
      getExcludedSigners: async () => new Set(),
      getValidatorSet: async () => ({ subnetId, pChainHeight: 1n, set }),
    };
    const observed: ObservedSigner = {
      nodeId: 'NodeID-0',
      isFresh: true,
      connected: true,
      since: nowSeconds,
      connection: 'connected',
      version: null,
      addresses: [],
      answeredAt: null,
      latencyMs: null,
      signedAt: null,
      refusedAt: null,
      refusal: null,
      isOwnRefusal: null,
      wrongKeyAt: null,
    };
    const networks = { byName: () => network } as unknown as Networks;
    const observations: Pick<SignerObservationRepository, 'list'> = {
      list: async () => [Object.assign(observed, seen)],
    };
    const service = new SignersService(networks, observations as SignerObservationRepository);
    const { validators } = await service.get({ network: 'fuji', subnetId });
    return validators[0]?.state;
  };

  it('takes a validator for signing once a signature of it is verified, not when it has only come in', async () => {
    expect(await stateOf({ answeredAt: nowSeconds })).toBe('untested');
    expect(await stateOf({ signedAt: nowSeconds })).toBe('signing');
    expect(await stateOf({ answeredAt: nowSeconds, signedAt: nowSeconds - 2 * 86_400 })).toBe('untested');
  });

  it('forgives a failure for a later signature', async () => {
    const failure = { refusedAt: nowSeconds - 10, isOwnRefusal: true };
    expect(await stateOf(failure)).toBe('failing');
    expect(await stateOf({ ...failure, signedAt: nowSeconds - 20 })).toBe('failing');
    expect(await stateOf({ ...failure, signedAt: nowSeconds })).toBe('signing');
  });
});
