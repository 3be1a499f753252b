import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../platform/config/config.module.js';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** A download link is its own key, and is made of whatever host a request names: behind a proxy with TLS it would begin with http. */
@Injectable()
export class PublicUrlNotice implements OnApplicationBootstrap {
  private readonly logger = new Logger(PublicUrlNotice.name);

  constructor(private readonly config: Config) {}

  onApplicationBootstrap(): void {
    const { HOST, PUBLIC_URL } = this.config.env;
    if (PUBLIC_URL !== undefined || LOOPBACK.test(HOST)) return;
    this.logger.warn(
      `HOST is ${HOST} and PUBLIC_URL is not set: download links begin with http:// and the host that a request names`,
    );
  }
}
