import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { nodeIdToString } from '../../src/avalanche/ids/node-id.js';
import { Database } from '../../src/platform/database/database.js';
import {
  type ObservedSigner,
  SignerObservationRepository,
  type SignerOutcome,
} from '../../src/resources/signature-aggregator/observe/signer-observation.repository.js';
import { createMigratedDatabase } from '../support/harness/database.js';

const subnetId = PRIMARY_NETWORK_ID;

describe(SignerObservationRepository.name, () => {
  let dataSource: DataSource;
  let repository: SignerObservationRepository;

  beforeAll(async () => {
    dataSource = await createMigratedDatabase();
    repository = new SignerObservationRepository(new Database(dataSource));
  });

  const newNode = (): string => nodeIdToString(randomBytes(20));

  const see = (nodeId: string, isConnected: boolean, { isLost = false, connection = 'refused' } = {}) =>
    repository.saveConnections(
      'fuji',
      [
        {
          subnetId,
          nodeId,
          isConnected,
          connection: isConnected ? 'connected' : connection,
          version: isConnected ? 'avalanchego/1.15.0' : null,
          addresses: isConnected ? ['203.0.113.7', '2001:db8::1'] : [],
        },
      ],
      { isLost },
    );

  const note = (nodeId: string, outcome: Partial<SignerOutcome>) => {
    const nothing = {
      answeredAgoMs: null,
      latencyMs: null,
      signedAgoMs: null,
      refusedAgoMs: null,
      refusal: null,
      isOwnRefusal: null,
      wrongKeyAgoMs: null,
    };
    return repository.saveOutcomes('fuji', [Object.assign({ subnetId, nodeId }, nothing, outcome)]);
  };

  const find = async (nodeId: string): Promise<ObservedSigner | undefined> =>
    (await repository.list('fuji', subnetId)).find((signer) => signer.nodeId === nodeId);

  /** As if all that is known had been written so much earlier. */
  const age = (seconds: number) =>
    dataSource.query(
      `UPDATE signer_observations SET since = since - $1 * interval '1 second', seen_at = seen_at - $1 * interval '1 second',
         updated_at = updated_at - $1 * interval '1 second'`,
      [seconds],
    );

  it('believes the process that is connected, and one that has lost the validator', async () => {
    const node = newNode();
    await see(node, true);
    await see(node, false);
    expect(await find(node)).toMatchObject({
      isFresh: true,
      connected: true,
      version: 'avalanchego/1.15.0',
      addresses: ['203.0.113.7', '2001:db8::1'],
    });
    await see(node, false, { isLost: true });
    expect(await find(node)).toMatchObject({
      connected: false,
      connection: 'refused',
      version: 'avalanchego/1.15.0',
    });
    await see(node, true);
    expect(await find(node)).toMatchObject({ connected: true });
  });

  it('keeps since when a validator is connected, for as long as it is confirmed', async () => {
    const node = newNode();
    await see(node, true);
    await age(60);
    const since = (await find(node))?.since ?? NaN;
    await see(node, true);
    expect(await find(node)).toMatchObject({ isFresh: true, since });
    const [seen] = await dataSource.query<{ at: number }[]>(
      'SELECT extract(epoch FROM max(seen_at))::float8 AS at FROM signer_observations',
    );
    await age(100);
    expect(await find(node)).toMatchObject({ isFresh: false, connected: true });
    // It was last seen when the process that had it ended.
    await see(node, false);
    expect(await find(node)).toMatchObject({ isFresh: true, connected: false });
    expect((await find(node))?.since).toBeCloseTo((seen?.at ?? NaN) - 100, 0);
  });

  it('has the last of each kind, and a wrong key until a signature is verified', async () => {
    const node = newNode();
    await note(node, { answeredAgoMs: 5_000, latencyMs: 80 });
    await note(node, { refusedAgoMs: 3_000, refusal: 'no answer in time', isOwnRefusal: true });
    await note(node, { wrongKeyAgoMs: 2_000 });
    await note(node, { answeredAgoMs: 1_000, latencyMs: 90 });
    const wrong = await find(node);
    expect(wrong).toMatchObject({
      connected: false,
      latencyMs: 90,
      refusal: 'no answer in time',
      isOwnRefusal: true,
      wrongKeyAt: expect.any(Number),
    });
    expect(wrong?.answeredAt).toBeGreaterThan(wrong?.refusedAt ?? Infinity);
    await note(node, { answeredAgoMs: 0, latencyMs: 70, signedAgoMs: 0 });
    expect(wrong?.signedAt).toBeNull();
    expect(await find(node)).toMatchObject({
      latencyMs: 70,
      signedAt: expect.any(Number),
      wrongKeyAt: null,
    });
  });

  it('forgets what no process has confirmed for a week', async () => {
    const node = newNode();
    await see(node, true);
    await age(8 * 86_400);
    const kept = newNode();
    await see(kept, true);
    await repository.removeOld('fuji');
    expect((await repository.list('fuji', subnetId)).map(({ nodeId }) => nodeId)).toEqual([kept]);
  });
});
