import { Module } from '@nestjs/common';
import { AdminServer } from './admin-server.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { Callers } from './callers.js';
import { KeyKeeper } from './key-keeper.js';

@Module({ providers: [ApiKeysRepository, Callers, KeyKeeper, AdminServer], exports: [Callers] })
export class ApiKeysModule {}
