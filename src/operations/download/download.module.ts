import { Module } from '@nestjs/common';
import { ServiceSecretsModule } from '../../database/service-secrets.module.js';
import { DownloadLinks } from './download-links.js';

/** The files of exports over HTTP, and the links to them. */
@Module({ imports: [ServiceSecretsModule], providers: [DownloadLinks], exports: [DownloadLinks] })
export class DownloadModule {}
