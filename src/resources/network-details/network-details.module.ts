import { Module } from '@nestjs/common';
import { NetworkDetailsController } from './network-details.controller.js';
import { NetworkDetailsService } from './network-details.service.js';

@Module({ controllers: [NetworkDetailsController], providers: [NetworkDetailsService] })
export class NetworkDetailsModule {}
