import { Entity, ForeignKey, Unique } from 'typeorm';
import { Hex, Int, SafeInteger, Text, Uuid } from '../../platform/database/columns.js';

/** Who keys belong to. */
@Entity({ name: 'api_organisations' })
export class ApiOrganisation {
  @Text({ key: true }) readonly orgId: string;
  @SafeInteger() readonly createdAt: number;
}

/** What callers of a plan may spend; `public` is that of callers without a key. */
@Entity({ name: 'api_plans' })
export class ApiPlan {
  @Text({ key: true }) readonly plan: string;
  /** Cost units. */
  @SafeInteger() readonly unitsPerMinute: number;
  @SafeInteger() readonly unitsPerDay: number;
  /** At a time. */
  @Int() readonly runningExports: number;
  /** With the running ones. */
  @Int() readonly storedExports: number;
  @SafeInteger() readonly storedBytes: number;
  /** Read from nodes, by the exports that were asked for on a day (UTC). */
  @SafeInteger() readonly scannedBlocksPerDay: number;
  /** At a time, in each process. */
  @Int() readonly waitingAggregations: number;
}

/** `keyHash`: SHA-256 of the key, which nobody keeps; `prefix`: its first characters, for people to recognise it. */
@Entity({ name: 'api_keys' })
@Unique('api_keys_hash', ['keyHash'])
export class ApiKey {
  @Uuid({ key: true }) readonly apiKeyId: string;
  @Text()
  @ForeignKey(() => ApiOrganisation, 'orgId', { name: 'api_keys_org' })
  readonly orgId: string;
  @Hex({ select: false }) readonly keyHash: string;
  @Text() readonly prefix: string;
  @Text() readonly alias: string;
  @Text()
  @ForeignKey(() => ApiPlan, 'plan', { name: 'api_keys_plan' })
  readonly plan: string;
  @SafeInteger() readonly createdAt: number;
  @SafeInteger({ nullable: true }) readonly expiresAt: number | null;
  @SafeInteger({ nullable: true }) readonly revokedAt: number | null;
}

export const KEY_ENTITIES = [ApiOrganisation, ApiPlan, ApiKey];
