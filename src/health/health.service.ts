import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RpcError } from '../avalanche/rpc/rpc.error.js';
import type { Network } from '../networks/network.js';
import { Networks } from '../networks/networks.module.js';
import { TemporalClient } from '../temporal/temporal.module.js';

export interface PartHealth {
  status: 'up' | 'down';
  /** True for a simulated network: its signatures are worth nothing elsewhere. */
  sandbox?: boolean;
  networkId?: number;
  pChainHeight?: string;
  message?: string;
}

export interface HealthAnswer {
  status: 'ok' | 'error';
  info: Record<string, PartHealth>;
  error: Record<string, PartHealth>;
  details: Record<string, PartHealth>;
}

/** The service is unhealthy without its database or workflow engine; a network's node that is away is only shown. */
const REQUIRED_PARTS: ReadonlySet<string> = new Set(['database', 'temporal']);

@Injectable()
export class HealthService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly temporal: TemporalClient,
    private readonly networks: Networks,
  ) {}

  async check(): Promise<HealthAnswer> {
    const parts = await Promise.all([
      this.database(),
      this.workflowEngine(),
      ...this.networks.all().map((network) => networkHealth(network)),
    ]);
    const details = Object.fromEntries(parts);
    const error = Object.fromEntries(parts.filter(([, part]) => part.status === 'down'));
    const info = Object.fromEntries(parts.filter(([, part]) => part.status === 'up'));
    const isBroken = Object.keys(error).some((name) => REQUIRED_PARTS.has(name));
    return { status: isBroken ? 'error' : 'ok', info, error, details };
  }

  private async database(): Promise<[string, PartHealth]> {
    try {
      await this.dataSource.query('SELECT 1');
      return ['database', { status: 'up' }];
    } catch {
      return ['database', { status: 'down' }];
    }
  }

  private async workflowEngine(): Promise<[string, PartHealth]> {
    return ['temporal', { status: (await this.temporal.isAvailable()) ? 'up' : 'down' }];
  }
}

async function networkHealth(network: Network): Promise<[string, PartHealth]> {
  const sandbox = network.isSandbox
    ? { sandbox: true, message: 'sandbox: simulated validators, signatures are worth nothing elsewhere' }
    : { sandbox: false };
  try {
    const [networkId, height] = await Promise.all([network.getNetworkId(), network.platform.getHeight()]);
    return [network.name, { status: 'up', ...sandbox, networkId, pChainHeight: height.toString() }];
  } catch (error) {
    const message = error instanceof RpcError ? error.message : 'node not reachable';
    return [network.name, { status: 'down', ...sandbox, message }];
  }
}
