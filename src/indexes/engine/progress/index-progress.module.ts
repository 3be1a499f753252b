import { Module } from '@nestjs/common';
import { IndexProgressRepository } from './index-progress.repository.js';

/** What the API needs of the index. */
@Module({ providers: [IndexProgressRepository], exports: [IndexProgressRepository] })
export class IndexProgressModule {}
