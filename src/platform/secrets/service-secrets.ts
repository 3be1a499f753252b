import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { randomBytes } from 'node:crypto';
import { type EntityManager, LessThan, type Repository } from 'typeorm';
import { badRequest } from '../http/errors/api-error.js';
import { SharedReadings } from '../networks/caches.js';
import { ServiceSecret } from './service-secret.entity.js';

const SECRET_BYTES = 32;
/** Within this, every process knows of a new key. */
const KNOWN_FOR_MS = 20_000;
/** After this, processes sign with it. */
const SIGNS_AFTER_MS = 60_000;
const TOO_SOON = 'the secrets were rotated less than a minute ago';

/** The keys behind page tokens and links, which callers hold. */
const SIGNING_KEYS = ['page-tokens', 'download-links'] as const;
type SigningKeyName = (typeof SIGNING_KEYS)[number];

export interface KeyRing {
  /** The key to sign with. */
  readonly current: Uint8Array;
  /** The keys of signatures that are genuine. */
  readonly accepted: readonly Uint8Array[];
}

/** Keys of 32 bytes that all processes share, one for each purpose; the first process that needs one makes it. */
@Injectable()
export class ServiceSecrets {
  private readonly permanent = new SharedReadings<KeyRing>(Infinity);
  private readonly rotated = new SharedReadings<KeyRing>(KNOWN_FOR_MS);

  constructor(@InjectRepository(ServiceSecret) private readonly secrets: Repository<ServiceSecret>) {}

  /** A key that never changes, since what is derived from it must not. */
  async get(name: string): Promise<Uint8Array> {
    return (await this.permanent.get(name, () => this.load(name))).current;
  }

  ring(name: SigningKeyName): Promise<KeyRing> {
    return this.rotated.get(name, () => this.load(name));
  }

  /**
   * Makes new signing keys, which sign a minute later. Signatures by the last ones stay genuine until the next rotation. Throws a 400
   * while the last rotation is not a minute old: a process that does not know of it yet would refuse what others sign.
   */
  async rotate(): Promise<{ rotated: readonly string[] }> {
    for (const name of SIGNING_KEYS) await this.load(name);
    await this.secrets.manager.transaction(async (manager) => {
      await manager.query('LOCK TABLE service_secrets IN SHARE ROW EXCLUSIVE MODE');
      for (const name of SIGNING_KEYS) {
        const [newest] = await findKeys(manager, name);
        if (newest === undefined) continue;
        if (newest.version > 1 && !newest.signs) throw badRequest(TOO_SOON);
        const version = newest.version + 1;
        await manager.insert(ServiceSecret, { name, version, value: randomBytes(SECRET_BYTES) });
        await manager.delete(ServiceSecret, { name, version: LessThan(newest.version) });
      }
    });
    return { rotated: SIGNING_KEYS };
  }

  private async load(name: string): Promise<KeyRing> {
    const keys = await findKeys(this.secrets.manager, name);
    const current = keys.find(({ signs }) => signs) ?? keys.at(-1);
    if (current !== undefined) return { current: current.value, accepted: keys.map(({ value }) => value) };
    const first = { name, version: 1, value: randomBytes(SECRET_BYTES) };
    await this.secrets.createQueryBuilder().insert().values(first).orIgnore().execute();
    return this.load(name);
  }
}

interface StoredKey extends ServiceSecret {
  /** Whether every process knows it. */
  readonly signs: boolean;
}

/** The newest first. */
async function findKeys(manager: EntityManager, name: string): Promise<StoredKey[]> {
  const keys = await manager.find(ServiceSecret, { where: { name }, order: { version: 'DESC' } });
  const [{ now }] = await manager.query<[{ now: Date }]>('SELECT now()');
  return keys.map((key) => ({ ...key, signs: now.getTime() - key.createdAt.getTime() >= SIGNS_AFTER_MS }));
}
