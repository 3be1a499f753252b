import { Module } from '@nestjs/common';
import { ProcessBeat } from './process-beat.js';
import { ProcessRepository } from './process.repository.js';

/** What every process has, be it API or worker. */
@Module({ providers: [ProcessBeat, ProcessRepository], exports: [ProcessRepository] })
export class ProcessBeatModule {}
