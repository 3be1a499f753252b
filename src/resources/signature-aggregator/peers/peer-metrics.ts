import { Injectable } from '@nestjs/common';
import { PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import { Metrics } from '../../../platform/metrics/metrics.js';
import type { NetworkPeers } from './network-peers.js';
import { PeerConnections } from './peer-connections.js';
import { SignatureCollector } from '../collect/signature-collector.js';

/** Subnets with series of their own, besides the primary network: those that were asked last. */
const MAX_SUBNETS = 20;

/** This process's connections to validators, read when Prometheus asks. */
@Injectable()
export class PeerMetrics {
  constructor(
    private readonly metrics: Metrics,
    connections: PeerConnections,
    collector: SignatureCollector,
  ) {
    this.readNodes(connections, collector);
    this.readStake(connections);
    this.readTraffic(connections);
  }

  private readNodes(connections: PeerConnections, collector: SignatureCollector): void {
    const nodes = this.metrics.gauge({
      name: 'nds_p2p_nodes',
      help: 'Nodes by state: tracked (wanted), connected, benched (not asked for a while), addresses (known)',
      labels: ['network', 'state'],
    });
    const distrusted = this.metrics.gauge({
      name: 'nds_p2p_distrusted_signers',
      help: 'Validators that are not asked for a while because they sent invalid signatures',
    });
    this.metrics.onScrape([nodes, distrusted], () => () => {
      distrusted.set(collector.distrustedSigners);
      for (const [network, { peers }] of connections.open) {
        for (const [state, count] of Object.entries(peers.count())) nodes.set({ network, state }, count);
      }
    });
  }

  private readStake(connections: PeerConnections): void {
    const labels = ['network', 'subnet'] as const;
    const share = this.metrics.gauge({
      name: 'nds_p2p_connected_stake_ratio',
      help: 'Share of the weight of a subnet (primary, or by id) whose validators are connected',
      labels,
    });
    const validators = this.metrics.gauge({
      name: 'nds_p2p_subnet_validators',
      help: 'Validators of a subnet',
      labels,
    });
    const connected = this.metrics.gauge({
      name: 'nds_p2p_connected_validators',
      help: 'Validators of a subnet that are connected',
      labels,
    });
    this.metrics.onScrape([share, validators, connected], () => () => {
      for (const [network, peers] of connections.open) {
        for (const stake of shownStake(peers)) {
          const series = {
            network,
            subnet: stake.subnetId === PRIMARY_NETWORK_ID ? 'primary' : stake.subnetId,
          };
          share.set(series, stake.share);
          validators.set(series, stake.validators);
          connected.set(series, stake.connectedValidators);
        }
      }
    });
  }

  private readTraffic(connections: PeerConnections): void {
    const labels = ['network', 'direction', 'op'] as const;
    const messages = this.metrics.counter({
      name: 'nds_p2p_messages_total',
      help: 'Messages exchanged with nodes',
      labels,
    });
    const bytes = this.metrics.counter({
      name: 'nds_p2p_bytes_total',
      help: 'Bytes of messages exchanged with nodes, without TLS',
      labels,
    });
    const dials = this.metrics.counter({
      name: 'nds_p2p_dials_total',
      help: 'Connection attempts to nodes by outcome',
      labels: ['network', 'outcome'],
    });
    const disconnects = this.metrics.counter({
      name: 'nds_p2p_disconnects_total',
      help: 'Ended connections to nodes by reason',
      labels: ['network', 'reason'],
    });
    this.metrics.onScrape([messages, bytes, dials, disconnects], () => () => {
      for (const [network, { peers }] of connections.open) {
        const { sent, received, dials: dialled, ends } = peers.traffic;
        for (const [direction, volumes] of [
          ['sent', sent],
          ['received', received],
        ] as const) {
          for (const [op, volume] of volumes) {
            messages.inc({ network, direction, op }, volume.messages);
            bytes.inc({ network, direction, op }, volume.bytes);
          }
        }
        for (const [outcome, count] of dialled) dials.inc({ network, outcome }, count);
        for (const [reason, count] of ends) disconnects.inc({ network, reason }, count);
      }
    });
  }
}

export function shownStake(peers: NetworkPeers): ReturnType<NetworkPeers['connectedStake']> {
  const all = peers.connectedStake();
  const subnets = all.filter(({ subnetId }) => subnetId !== PRIMARY_NETWORK_ID).slice(0, MAX_SUBNETS);
  return [...all.filter(({ subnetId }) => subnetId === PRIMARY_NETWORK_ID), ...subnets];
}
