import { Injectable } from '@nestjs/common';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceSecrets } from '../../../platform/secrets/service-secrets.js';

/** Content of a link; the signature covers the rest. */
export interface DownloadLink {
  readonly operationId: string;
  /** UNIX seconds, decimal. */
  readonly expires: string;
  readonly signature: string;
}

/** Links to exported files. Anyone who has a link can read the file until it expires; only this service can create one. */
@Injectable()
export class DownloadLinks {
  constructor(private readonly secrets: ServiceSecrets) {}

  /** URLs of the file and of its proof. `expiresAt` in UNIX seconds. */
  async makeUrls(options: {
    operationId: string;
    expiresAt: number;
    baseUrl: string;
  }): Promise<{ file: string; proof: string }> {
    const { operationId, baseUrl } = options;
    const expires = String(options.expiresAt);
    const { current } = await this.secrets.ring('download-links');
    const signature = sign(current, operationId, expires);
    const folder = `${baseUrl.replace(/\/+$/, '')}/v1/operations/${operationId}`;
    const query = `expires=${expires}&signature=${signature}`;
    return { file: `${folder}/transactions.csv?${query}`, proof: `${folder}/proof.json?${query}` };
  }

  /** Whether this service has made the link, and its key was not rotated twice since. */
  async isGenuine({ operationId, expires, signature }: DownloadLink): Promise<boolean> {
    const { accepted } = await this.secrets.ring('download-links');
    const given = Buffer.from(signature);
    return accepted.some((key) => {
      const expected = Buffer.from(sign(key, operationId, expires));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }
}

/** An operation id has no dot, so that no two pairs are one text. */
function sign(key: Uint8Array, operationId: string, expires: string): string {
  return createHmac('sha256', key).update(`${operationId}.${expires}`).digest('base64url');
}
