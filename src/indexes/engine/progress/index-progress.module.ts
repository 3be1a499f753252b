import { Module } from '@nestjs/common';
import { IndexProgressRepository } from './index-progress.repository.js';

@Module({ providers: [IndexProgressRepository], exports: [IndexProgressRepository] })
export class IndexProgressModule {}
