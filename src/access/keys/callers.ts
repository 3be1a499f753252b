import { Injectable } from '@nestjs/common';
import { isApiKey } from './api-key.js';
import { ApiKeysRepository, type ValidKey } from './api-keys.repository.js';
import type { ApiPlan } from './api-key.entities.js';
import { type Caller, organisation, PUBLIC_ORG, PUBLIC_PLAN } from './caller.js';
import { clientAddress, clientSite } from '../../platform/http/requests/client-address.js';
import { TtlCache } from './ttl-cache.js';

/** A revoked key is refused everywhere after this time at the latest; so long, too, another content of a plan is unknown. */
const MEMORY_MS = 2_000;
/** More keys than anybody uses within that time. */
const MAX_REMEMBERED = 10_000;

/** Identifies the caller. Postgres's answer is remembered for a moment, so that it is asked once and not with every request. */
@Injectable()
export class Callers {
  private readonly keys: TtlCache<ValidKey | undefined>;
  private readonly plans: TtlCache<ApiPlan>;
  private lastPublicPlan: ApiPlan | undefined;

  constructor(repository: ApiKeysRepository) {
    const limits = { lifeMs: MEMORY_MS, max: MAX_REMEMBERED };
    this.keys = new TtlCache(limits, (key) => repository.findValid(key));
    this.plans = new TtlCache(limits, async (name) => {
      const plan = await repository.findPlan(name);
      if (plan === undefined) throw new Error(`there is no plan ${name}`);
      return plan;
    });
  }

  /** Undefined for a key that is unknown, revoked or expired. */
  async withKey(key: string): Promise<Caller | undefined> {
    const known = isApiKey(key) ? await this.keys.get(key) : undefined;
    if (known === undefined) return undefined;
    const { apiKeyId, orgId, plan } = known;
    return { orgId, apiKeyId, owner: organisation(orgId), site: undefined, plan };
  }

  async withoutKey(ip: string): Promise<Caller> {
    const owner = `address:${clientAddress(ip)}`;
    const plan = await this.publicPlan();
    return { orgId: PUBLIC_ORG, apiKeyId: undefined, owner, site: clientSite(ip), plan };
  }

  /** The one that was last read, while it is read again: what needs no database is answered without one. */
  private async publicPlan(): Promise<ApiPlan> {
    const read = this.plans.get(PUBLIC_PLAN).then((plan) => (this.lastPublicPlan = plan));
    if (this.lastPublicPlan === undefined) return read;
    read.catch(() => undefined);
    return this.lastPublicPlan;
  }
}
