import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../../access/keys/caller.js';
import { SpendingRepository } from '../../access/limits/spending.repository.js';
import { unitsOf } from '../../access/limits/units.js';
import { knownPaths } from '../../platform/http/adapter/allowed-methods.js';
import { routePathOf } from '../../platform/http/requests/route-path.js';
import { ExportClaimsRepository } from '../operations/export/export-claims.repository.js';
import { bytesOf } from '../operations/export/export-quotas.js';
import type { MeResponse } from './me.response.js';

@Injectable()
export class MeService {
  constructor(
    private readonly spending: SpendingRepository,
    private readonly claims: ExportClaimsRepository,
    private readonly host: HttpAdapterHost,
  ) {}

  async get({ orgId, apiKeyId, owner, plan }: Caller): Promise<MeResponse> {
    const [spent, owned] = await Promise.all([this.spending.find(owner), this.claims.find(owner)]);
    const { plan: name, ...limits } = plan;
    const running = owned.exports.filter(({ isRunning }) => isRunning).length;
    return {
      orgId,
      ...(apiKeyId === undefined ? {} : { apiKeyId }),
      plan: name,
      limits,
      remaining: {
        unitsPerMinute: left(limits.unitsPerMinute, spent.minuteUnits),
        unitsPerDay: left(limits.unitsPerDay, spent.dayUnits),
        runningExports: left(limits.runningExports, running),
        storedExports: left(limits.storedExports, owned.exports.length),
        storedBytes: left(limits.storedBytes, bytesOf(owned.exports)),
        nodeCallsPerDay: left(limits.nodeCallsPerDay, owned.calledToday),
      },
      prices: this.prices(),
    };
  }

  private prices(): Record<string, number> {
    const server: FastifyInstance = this.host.httpAdapter.getInstance();
    const paths = knownPaths(server).map((url) => routePathOf({ routeOptions: { url } }));
    return Object.fromEntries(
      paths
        .filter((path) => path.startsWith('/v1/'))
        .sort()
        .map((path) => [path, unitsOf(path)]),
    );
  }
}

/** Never below nothing: a plan may have become smaller. */
function left(limit: number, used: number): number {
  return Math.max(0, limit - used);
}
