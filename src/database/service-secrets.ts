import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';

const SECRET_BYTES = 32;

/** Keys that all processes share, each under its name; the first process that needs one makes it. */
@Injectable()
export class ServiceSecrets {
  private readonly known = new Map<string, Promise<Buffer>>();

  constructor(private readonly dataSource: DataSource) {}

  /** 32 bytes, the same for ever. */
  get(name: string): Promise<Buffer> {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const loading = this.load(name).catch((error: unknown) => {
      this.known.delete(name);
      throw error;
    });
    this.known.set(name, loading);
    return loading;
  }

  private async load(name: string): Promise<Buffer> {
    await this.dataSource.query(
      'INSERT INTO service_secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [name, randomBytes(SECRET_BYTES)],
    );
    const rows: { value: Buffer }[] = await this.dataSource.query(
      'SELECT value FROM service_secrets WHERE name = $1',
      [name],
    );
    const value = rows[0]?.value;
    if (value === undefined) throw new Error(`the secret ${name} has gone while it was made`);
    return value;
  }
}
