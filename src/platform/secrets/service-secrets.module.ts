import { Module } from '@nestjs/common';
import { ServiceSecrets } from './service-secrets.js';

@Module({ providers: [ServiceSecrets], exports: [ServiceSecrets] })
export class ServiceSecretsModule {}
