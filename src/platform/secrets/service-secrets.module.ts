import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ServiceSecret } from './service-secret.entity.js';
import { ServiceSecrets } from './service-secrets.js';

@Module({
  imports: [TypeOrmModule.forFeature([ServiceSecret])],
  providers: [ServiceSecrets],
  exports: [ServiceSecrets],
})
export class ServiceSecretsModule {}
