import { Entity, ForeignKey, Unique } from 'typeorm';
import * as Column from '../../platform/database/columns.js';

/** Owner of keys. */
@Entity({ name: 'api_organisations' })
export class ApiOrganisation {
  @Column.Text({ key: true }) readonly orgId!: string;
  @Column.SafeInteger() readonly createdAt!: number;
}

/** Limits of callers with a plan; `public` is that of callers without a key. */
@Entity({ name: 'api_plans' })
export class ApiPlan {
  @Column.Text({ key: true }) readonly plan!: string;
  /** Cost units. */
  @Column.SafeInteger() readonly unitsPerMinute!: number;
  @Column.SafeInteger() readonly unitsPerDay!: number;
  /** At a time. */
  @Column.Int() readonly runningExports!: number;
  /** With the running ones. */
  @Column.Int() readonly storedExports!: number;
  @Column.SafeInteger() readonly storedBytes!: number;
  /** Read from nodes, by the exports that were asked for on a day (UTC). */
  @Column.SafeInteger() readonly nodeCallsPerDay!: number;
  /** At a time, in each process. */
  @Column.Int() readonly waitingAggregations!: number;
}

/** `keyHash`: SHA-256 of the key, which nobody keeps; `prefix`: its first characters, for people to recognise it. */
@Entity({ name: 'api_keys' })
@Unique('api_keys_hash', ['keyHash'])
export class ApiKey {
  @Column.Uuid({ key: true }) readonly apiKeyId!: string;
  @Column.Text()
  @ForeignKey(() => ApiOrganisation, 'orgId', { name: 'api_keys_org' })
  readonly orgId!: string;
  @Column.Hex({ select: false }) readonly keyHash!: string;
  @Column.Text() readonly prefix!: string;
  @Column.Text() readonly alias!: string;
  @Column.Text()
  @ForeignKey(() => ApiPlan, 'plan', { name: 'api_keys_plan' })
  readonly plan!: string;
  @Column.SafeInteger() readonly createdAt!: number;
  @Column.SafeInteger({ nullable: true }) readonly expiresAt!: number | null;
  @Column.SafeInteger({ nullable: true }) readonly revokedAt!: number | null;
}

export const KEY_ENTITIES = [ApiOrganisation, ApiPlan, ApiKey];
