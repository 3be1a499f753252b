import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ServiceSecretsModule } from '../../platform/secrets/service-secrets.module.js';
import { AdminServer } from './admin-server.js';
import { KEY_ENTITIES } from './api-key.entities.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { Callers } from './callers.js';
import { KeyKeeper } from './key-keeper.js';

@Module({
  imports: [TypeOrmModule.forFeature(KEY_ENTITIES), ServiceSecretsModule],
  providers: [ApiKeysRepository, Callers, KeyKeeper, AdminServer],
  exports: [Callers],
})
export class ApiKeysModule {}
