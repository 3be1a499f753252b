import { Injectable } from '@nestjs/common';
import { badRequest, notFound } from '../../platform/http/errors/api-error.js';
import { type ApiKeyRecord, ApiKeysRepository } from './api-keys.repository.js';
import type { ApiPlan } from './api-key.entities.js';
import { PUBLIC_PLAN } from './caller.js';
import type { ApiKeyId, CreateApiKey, ListApiKeys, PlanLimits, PlanName } from './dto/api-keys.request.js';

/** Operators' commands for keys and plans, over HTTP or on the command line. */
@Injectable()
export class KeyKeeper {
  constructor(private readonly repository: ApiKeysRepository) {}

  async create({ expiresAt, ...wanted }: CreateApiKey): Promise<ApiKeyRecord & { key: string }> {
    return (await this.repository.create({ ...wanted, expiresAt: expiresAt ?? null })) ?? noPlan(wanted.plan);
  }

  async list({ orgId }: ListApiKeys): Promise<{ keys: ApiKeyRecord[] }> {
    return { keys: await this.repository.list(orgId) };
  }

  async revoke({ apiKeyId }: ApiKeyId): Promise<ApiKeyRecord> {
    const revoked = await this.repository.revoke(apiKeyId);
    if (revoked === undefined) throw notFound(`there is no key ${apiKeyId}`);
    return revoked;
  }

  async assign({ apiKeyId }: ApiKeyId, { plan }: PlanName): Promise<ApiKeyRecord> {
    if ((await this.repository.findPlan(plan)) === undefined) noPlan(plan);
    const changed = await this.repository.assign(apiKeyId, plan);
    if (changed === undefined) throw notFound(`there is no key ${apiKeyId}`);
    return changed;
  }

  async plans(): Promise<{ plans: ApiPlan[] }> {
    return { plans: await this.repository.plans() };
  }

  async savePlan({ plan: name }: PlanName, limits: PlanLimits): Promise<ApiPlan> {
    const model = (await this.repository.findPlan(PUBLIC_PLAN)) ?? noPlan(PUBLIC_PLAN);
    return this.repository.savePlan({ ...model, plan: name }, limits);
  }
}

function noPlan(plan: string): never {
  throw badRequest(`plan: there is no plan ${plan}`);
}
