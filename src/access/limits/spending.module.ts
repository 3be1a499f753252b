import { Module } from '@nestjs/common';
import { SpendingRepository } from './spending.repository.js';

@Module({ providers: [SpendingRepository], exports: [SpendingRepository] })
export class SpendingModule {}
