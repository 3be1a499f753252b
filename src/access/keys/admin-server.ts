import {
  type DynamicModule,
  Injectable,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  VersioningType,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createHash, timingSafeEqual } from 'node:crypto';
import { Config } from '../../platform/config/config.module.js';
import { JsonAdapter } from '../../platform/http/adapter/json-adapter.js';
import { ApiError } from '../../platform/http/errors/api-error.js';
import { ErrorFilter } from '../../platform/http/errors/error.filter.js';
import { ServiceSecrets } from '../../platform/secrets/service-secrets.js';
import { AdminController } from './admin.controller.js';
import { KeyKeeper } from './key-keeper.js';

@Module({})
class AdminModule {
  static of(keeper: KeyKeeper, secrets: ServiceSecrets): DynamicModule {
    return {
      module: AdminModule,
      controllers: [AdminController],
      providers: [
        { provide: KeyKeeper, useValue: keeper },
        { provide: ServiceSecrets, useValue: secrets },
      ],
    };
  }
}

const MAX_BODY_BYTES = 16 * 1024;

/** The operators' HTTP API: on a port that callers of the service need not reach, protected by a token. */
@Injectable()
export class AdminServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(AdminServer.name);
  private app: NestFastifyApplication | undefined;

  constructor(
    private readonly config: Config,
    private readonly keeper: KeyKeeper,
    private readonly secrets: ServiceSecrets,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { ADMIN_ADDRESS: address, ADMIN_TOKEN: token } = this.config.env;
    if (address === undefined || token === undefined) return;
    const adapter = new JsonAdapter({ bodyLimit: MAX_BODY_BYTES, forceCloseConnections: true });
    adapter.getInstance().addHook('onRequest', (request, _reply, done) => {
      const isOperator = isSame(request.headers.authorization ?? '', `Bearer ${token}`);
      done(
        isOperator
          ? undefined
          : new ApiError(401, 'authorization: must be Bearer and the token of operators'),
      );
    });
    this.app = await NestFactory.create<NestFastifyApplication>(
      AdminModule.of(this.keeper, this.secrets),
      adapter,
      {
        logger: ['error', 'warn'],
        abortOnError: false,
      },
    );
    this.app.enableVersioning({ type: VersioningType.URI });
    this.app.useGlobalFilters(new ErrorFilter('Bearer'));
    await this.app.listen(address.port, address.host);
    this.logger.log(`keys and plans are administered at ${await this.app.getUrl()}`);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.app?.close();
  }
}

/** In a time that does not depend on how much of it is right. */
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
