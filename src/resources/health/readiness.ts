import { Injectable, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { isMigrated } from '../../platform/database/data-source.js';
import { inTime } from '../../platform/in-time.js';
import { SharedReading } from '../../platform/networks/caches.js';
import { TemporalClient } from '../../platform/temporal/temporal.module.js';
import { PeerConnections } from '../signature-aggregator/peers/peer-connections.js';
import type { ReadinessResponse, ReadyPartResponse } from './health.response.js';
import { Lifecycle } from './lifecycle.js';

/** Probes come every few seconds from several sources, and need no key. */
const REREAD_AFTER_MS = 1_000;
/** Probes give up after a few seconds. */
const TIMEOUT_MS = 2_000;

const UP: ReadyPartResponse = { status: 'up' };

/** Whether this very process can do its work now: a load balancer sends requests elsewhere while it cannot. */
@Injectable()
export class Readiness {
  private readonly details = new SharedReading(REREAD_AFTER_MS, () => this.readDetails());

  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly dataSource: DataSource,
    private readonly temporal: TemporalClient,
    @Optional() private readonly connections?: PeerConnections,
  ) {}

  async check(): Promise<ReadinessResponse> {
    const details = { ...(await this.details.get()), ...this.peers() };
    const { stage } = this.lifecycle;
    if (stage === 'ending') return { status: 'shutting_down', details };
    const isUp = Object.values(details).every(({ status }) => status === 'up');
    if (!isUp) return { status: 'error', details };
    return { status: stage === 'starting' ? 'starting' : 'ok', details };
  }

  /** Of a process that collects signatures. One that has waited in vain is up, with a message about what is missing. */
  private peers(): { peers?: ReadyPartResponse } {
    const { connections } = this;
    if (connections?.collects !== true) return {};
    const troubles = connections.troubles();
    if (troubles.length === 0) return { peers: UP };
    const message = troubles.map(({ network, text }) => `${network}: ${text}`).join('; ');
    return { peers: { status: connections.takesWork ? 'up' : 'down', message } };
  }

  private async readDetails(): Promise<Pick<ReadinessResponse['details'], 'database' | 'temporal'>> {
    const [database, temporal] = await Promise.all([
      inTimeOrDown(this.checkDatabase()),
      inTimeOrDown(this.temporal.isAvailable().then((isUp) => (isUp ? UP : down('does not answer')))),
    ]);
    return { database, temporal };
  }

  /** A database that was put back to an earlier state lacks what this process needs, until one starts that migrates it. */
  private async checkDatabase(): Promise<ReadyPartResponse> {
    try {
      return (await isMigrated(this.dataSource)) ? UP : down('lacks a migration: restart a process');
    } catch {
      return down('does not answer');
    }
  }
}

function down(message: string): ReadyPartResponse {
  return { status: 'down', message };
}

function inTimeOrDown(check: Promise<ReadyPartResponse>): Promise<ReadyPartResponse> {
  return inTime(check, TIMEOUT_MS).catch(() => down('no answer in time'));
}
