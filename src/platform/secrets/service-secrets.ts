import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { Database } from '../database/database.js';

const SECRET_BYTES = 32;

/** Keys that all processes share, one for each purpose; the first process that needs one makes it. */
@Injectable()
export class ServiceSecrets {
  private readonly known = new Map<string, Promise<Buffer>>();

  constructor(private readonly database: Database) {}

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
    await this.database.execute({
      text: 'INSERT INTO service_secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      values: [name, randomBytes(SECRET_BYTES)],
    });
    const [row] = await this.database.query<{ value: Buffer }>({
      text: 'SELECT value FROM service_secrets WHERE name = $1',
      values: [name],
    });
    const secret = row?.value;
    if (secret === undefined) throw new Error(`the secret ${name} has gone while it was made`);
    return secret;
  }
}
