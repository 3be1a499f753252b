import { Module } from '@nestjs/common';
import { PeerConnections } from './peer-connections.js';

/** Only workers hold p2p connections. */
@Module({ providers: [PeerConnections], exports: [PeerConnections] })
export class PeerConnectionsModule {}
