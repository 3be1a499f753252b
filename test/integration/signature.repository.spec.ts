import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { runMigrations } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import type { ValidatorSetAtHeight } from '../../src/platform/networks/network.js';
import { unsignedMessageId } from '../../src/avalanche/warp/unsigned-message.js';
import { SignatureRepository } from '../../src/resources/signature-aggregator/store/signature.repository.js';
import { createTestDatabase } from '../support/harness/services.js';
import {
  AggregatedSignature,
  ValidatorSignature,
} from '../../src/resources/signature-aggregator/store/signature.entities.js';
import { patientDataSource } from '../support/harness/data-source-options.js';

const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex');

describe(SignatureRepository.name, () => {
  let dataSource: DataSource;
  let repository: SignatureRepository;

  beforeAll(async () => {
    const { url } = await createTestDatabase();
    dataSource = await new DataSource(
      patientDataSource({ url, poolSize: 8, entities: [AggregatedSignature, ValidatorSignature] }),
    ).initialize();
    // Several processes start at once; each runs the migrations.
    const others = await Promise.all(
      [1, 2, 3].map(() => new DataSource(patientDataSource({ url, poolSize: 3 })).initialize()),
    );
    await Promise.all([dataSource, ...others].map(runMigrations));
    await Promise.all(others.map((other) => other.destroy()));
    repository = new SignatureRepository(
      dataSource.getRepository(AggregatedSignature),
      dataSource.getRepository(ValidatorSignature),
      new Database(dataSource),
    );
  });

  afterAll(() => dataSource.destroy());

  const signatures = (count: number) =>
    Array.from({ length: count }, () => ({ publicKey: randomBytes(48), signature: randomBytes(192) }));

  const result = ({ requestDigest = randomHex(32), pChainHeight = '18446744073709551615' } = {}) => ({
    network: 'fuji',
    requestDigest,
    sourceBlockchainId: '11111111111111111111111111111111LpoYY',
    validatorSet: {
      signingSubnetId: '11111111111111111111111111111111LpoYY',
      pChainHeight,
      validatorSetDigest: randomHex(32),
      validatorCount: 5,
      totalWeight: '18446744073709551615',
    },
    collected: {
      signedMessage: randomHex(200),
      signers: 4,
      signedWeight: '18446744073709551614',
      signedPercentage: 99.99,
    },
    isAwaited: false,
  });

  it('keeps signatures by message and whole key, of which the first one wins', async () => {
    const messageId = randomBytes(32);
    const [first, second] = signatures(2);
    if (first === undefined || second === undefined) throw new Error('two signatures');
    await repository.saveSignatures(messageId, [first]);
    await repository.saveSignatures(messageId, [{ ...first, signature: randomBytes(192) }, second]);
    await repository.saveSignatures(messageId, []);
    const kept = await repository.findSignatures(messageId);
    expect(new Set(kept.map((row) => row.signature.toString('hex')))).toEqual(
      new Set([first.signature.toString('hex'), second.signature.toString('hex')]),
    );
    expect(await repository.findSignatures(randomBytes(32))).toEqual([]);
  });

  it('takes the same batches from several workers at once', async () => {
    const messageId = randomBytes(32);
    const batch = signatures(500);
    await Promise.all(
      [1, 2, 3, 4].map((i) =>
        repository.saveSignatures(messageId, i % 2 === 0 ? batch : [...batch].reverse()),
      ),
    );
    expect(await repository.findSignatures(messageId)).toHaveLength(500);
  });

  it('refuses bytes of wrong lengths', async () => {
    await expect(
      repository.saveSignatures(randomBytes(32), [
        { publicKey: randomBytes(47), signature: randomBytes(192) },
      ]),
    ).rejects.toThrow('validator_signatures_lengths');
  });

  it('replaces a result by one of the same or a later height, never by an earlier one', async () => {
    const requestDigest = randomHex(32);
    const at = (pChainHeight: string) => result({ requestDigest, pChainHeight });
    const [first, later, earlier] = [at('100'), at('101'), at('99')];
    await repository.saveAggregated([first]);
    await repository.saveAggregated([later]);
    await repository.saveAggregated([earlier]);
    expect(await repository.findLatest(later)).toBe(later.collected.signedMessage);
    expect(await repository.findLatest({ ...later, network: 'mainnet' })).toBeUndefined();
  });

  const answerTo = async (
    request: { network: string; requestDigest: string },
    at: ValidatorSetAtHeight | undefined,
  ) => (await repository.findAnswer({ ...request, message: '00' }, Promise.resolve(at))).signedMessage;

  it('knows whether there are signatures of a message, with and without a result', async () => {
    const message = randomBytes(40);
    const request = { network: 'fuji', requestDigest: randomHex(32), message: message.toString('hex') };
    const hasSignatures = async (given: typeof request) =>
      (await repository.findAnswer(given, Promise.resolve(undefined))).hasSignatures;
    expect(await hasSignatures(request)).toBe(false);
    await repository.saveSignatures(Buffer.from(unsignedMessageId(message)), signatures(1));
    expect(await hasSignatures(request)).toBe(true);
    await repository.saveAggregated([result({ requestDigest: request.requestDigest })]);
    expect(await hasSignatures(request)).toBe(true);
    expect(await hasSignatures({ ...request, message: randomHex(40) })).toBe(false);
  });

  it('finds a result while the validator set is the one that signed it', async () => {
    const saved = result();
    await repository.saveAggregated([saved]);
    const currentWhile = (digest: string) => {
      const set = { validators: [], totalWeight: 0n, digest };
      const at = { subnetId: saved.validatorSet.signingSubnetId, pChainHeight: 1n, set };
      return answerTo(saved, at);
    };
    expect(await currentWhile(saved.validatorSet.validatorSetDigest)).toBe(saved.collected.signedMessage);
    expect(await currentWhile(randomHex(32))).toBeUndefined();
    expect(await answerTo(saved, undefined)).toBeUndefined();
  });

  it('stores many at once, the later of two of one request', async () => {
    const [one, other] = [result(), result()];
    const again = result({ requestDigest: one.requestDigest });
    await repository.saveAggregated([one, other, again]);
    expect(await repository.findLatest(one)).toBe(again.collected.signedMessage);
    expect(await repository.findLatest(other)).toBe(other.collected.signedMessage);
  });

  it('keeps uint64 amounts exactly', async () => {
    const saved = result();
    await repository.saveAggregated([saved]);
    const stored: unknown = await dataSource.query(
      'SELECT p_chain_height, signed_weight FROM aggregated_signatures WHERE request_digest = $1',
      [Buffer.from(saved.requestDigest, 'hex')],
    );
    expect(stored).toEqual([
      { p_chain_height: '18446744073709551615', signed_weight: '18446744073709551614' },
    ]);
  });

  it('removes what is past its retention, and only that', async () => {
    const messageId = randomBytes(32);
    const [old, fresh] = signatures(2);
    if (old === undefined || fresh === undefined) throw new Error('two signatures');
    await repository.saveSignatures(messageId, [old, fresh]);
    await dataSource.query(
      `UPDATE validator_signatures SET created_at = now() - interval '31 days' WHERE public_key = $1`,
      [old.publicKey],
    );
    await repository.removeOld({ days: 30 });
    expect(await repository.findSignatures(messageId)).toEqual([fresh]);
  });

  it('removes all that is old, however many pieces that takes', async () => {
    const messageId = randomBytes(32);
    await repository.saveSignatures(messageId, signatures(7));
    await dataSource.query("UPDATE validator_signatures SET created_at = now() - interval '31 days'");
    await repository.removeOld({ days: 30, pieceRows: 3 });
    expect(await repository.findSignatures(messageId)).toEqual([]);
  });

  it('keeps no more signatures than a bound, the newest of them', async () => {
    await dataSource.query('DELETE FROM validator_signatures');
    const [older, newer] = [randomBytes(32), randomBytes(32)];
    await repository.saveSignatures(older, signatures(7));
    await dataSource.query("UPDATE validator_signatures SET created_at = now() - interval '1 hour'");
    await repository.saveSignatures(newer, signatures(5));
    await repository.removeOld({ days: 30, maxSignatures: 6, pieceRows: 4 });
    expect(await repository.findSignatures(newer)).toHaveLength(5);
    expect(await repository.findSignatures(older)).toHaveLength(1);
  });
});
