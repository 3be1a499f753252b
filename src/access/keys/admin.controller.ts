import { Body, Controller, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ZodPipe } from '../../platform/http/pipes/zod.pipe.js';
import { ServiceSecrets } from '../../platform/secrets/service-secrets.js';
import type { ApiKeyRecord } from './api-keys.repository.js';
import type { ApiPlan } from './api-key.entities.js';
import {
  type ApiKeyId,
  ApiKeyIdSchema,
  type CreateApiKey,
  CreateApiKeySchema,
  type ListApiKeys,
  ListApiKeysSchema,
  type PlanLimits,
  PlanLimitsSchema,
  type PlanName,
  PlanNameSchema,
} from './dto/api-keys.request.js';
import { KeyKeeper } from './key-keeper.js';

/** For operators alone, on a port of its own. */
@Controller({ version: '1' })
export class AdminController {
  constructor(
    private readonly keeper: KeyKeeper,
    private readonly secrets: ServiceSecrets,
  ) {}

  @Post('keys')
  create(
    @Body(new ZodPipe(CreateApiKeySchema)) wanted: CreateApiKey,
  ): Promise<ApiKeyRecord & { key: string }> {
    return this.keeper.create(wanted);
  }

  @Get('keys')
  list(@Query(new ZodPipe(ListApiKeysSchema)) which: ListApiKeys): Promise<{ keys: ApiKeyRecord[] }> {
    return this.keeper.list(which);
  }

  @Post('keys/:apiKeyId/revoke')
  revoke(@Param(new ZodPipe(ApiKeyIdSchema)) key: ApiKeyId): Promise<ApiKeyRecord> {
    return this.keeper.revoke(key);
  }

  @Put('keys/:apiKeyId/plan')
  assign(
    @Param(new ZodPipe(ApiKeyIdSchema)) key: ApiKeyId,
    @Body(new ZodPipe(PlanNameSchema)) plan: PlanName,
  ): Promise<ApiKeyRecord> {
    return this.keeper.assign(key, plan);
  }

  @Get('plans')
  plans(): Promise<{ plans: ApiPlan[] }> {
    return this.keeper.plans();
  }

  @Put('plans/:plan')
  savePlan(
    @Param(new ZodPipe(PlanNameSchema)) plan: PlanName,
    @Body(new ZodPipe(PlanLimitsSchema)) limits: PlanLimits,
  ): Promise<ApiPlan> {
    return this.keeper.savePlan(plan, limits);
  }

  @Post('secrets/rotate')
  rotateSecrets(): Promise<{ rotated: readonly string[] }> {
    return this.secrets.rotate();
  }
}
