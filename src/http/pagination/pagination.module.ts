import { Module } from '@nestjs/common';
import { PageTokens } from './page-tokens.js';

@Module({ providers: [PageTokens], exports: [PageTokens] })
export class PaginationModule {}
