import { Module } from '@nestjs/common';

/** The configured export storage. */
@Module({})
export class ExportStorageModule {}
