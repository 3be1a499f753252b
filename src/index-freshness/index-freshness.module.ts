import { Module } from '@nestjs/common';
import { ReadingModule } from '../database/reading.module.js';
import { IndexFreshness } from './index-freshness.js';
import { IndexFreshnessRepository } from './index-freshness.repository.js';

@Module({ imports: [ReadingModule], providers: [IndexFreshness, IndexFreshnessRepository] })
export class IndexFreshnessModule {}
