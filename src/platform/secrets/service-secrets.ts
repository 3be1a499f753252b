import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { randomBytes } from 'node:crypto';
import type { Repository } from 'typeorm';
import { ServiceSecret } from './service-secret.entity.js';

const SECRET_BYTES = 32;

/** Keys that all processes share, one for each purpose; the first process that needs one makes it. */
@Injectable()
export class ServiceSecrets {
  private readonly known = new Map<string, Promise<Buffer>>();

  constructor(@InjectRepository(ServiceSecret) private readonly secrets: Repository<ServiceSecret>) {}

  /** 32 bytes that never change. */
  get(name: string): Promise<Buffer> {
    let secret = this.known.get(name);
    if (secret === undefined) {
      secret = this.load(name);
      this.known.set(name, secret);
      secret.catch(() => this.known.delete(name));
    }
    return secret;
  }

  private async load(name: string): Promise<Buffer> {
    const made = { name, value: randomBytes(SECRET_BYTES) };
    await this.secrets.createQueryBuilder().insert().values(made).orIgnore().execute();
    return Buffer.from((await this.secrets.findOneByOrFail({ name })).value);
  }
}
