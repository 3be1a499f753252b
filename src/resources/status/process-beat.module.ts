import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ProcessBeat } from './process-beat.js';
import { ProcessRepository } from './process.repository.js';
import { AggregationCount, ServiceProcess } from './status.entities.js';

/** Providers of every process, API or worker. */
@Module({
  imports: [TypeOrmModule.forFeature([ServiceProcess, AggregationCount])],
  providers: [ProcessBeat, ProcessRepository],
  exports: [ProcessRepository],
})
export class ProcessBeatModule {}
