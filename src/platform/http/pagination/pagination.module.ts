import { Module } from '@nestjs/common';
import { ServiceSecretsModule } from '../../secrets/service-secrets.module.js';
import { PageTokens } from './page-tokens.js';

@Module({ imports: [ServiceSecretsModule], providers: [PageTokens], exports: [PageTokens] })
export class PaginationModule {}
