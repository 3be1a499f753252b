import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { openDataSource } from '../../src/platform/database/data-source.js';
import { PageTokens } from '../../src/platform/http/pagination/page-tokens.js';
import { ServiceSecret } from '../../src/platform/secrets/service-secret.entity.js';
import { ServiceSecrets } from '../../src/platform/secrets/service-secrets.js';
import { type DownloadLink, DownloadLinks } from '../../src/resources/operations/download/download-links.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { spawnProcess } from '../support/harness/processes.js';
import { createTestDatabase } from '../support/harness/services.js';
import { patientDataSource } from '../support/harness/data-source-options.js';

const SCOPE = { path: ['fuji', 'subnets'], query: {} };
const OPERATION = 'aa22054a-cb7c-4a4e-9b83-59f2ede74138';

describe('the secrets that processes share', () => {
  let databaseUrl: string;
  let dataSource: DataSource;

  beforeAll(async () => {
    databaseUrl = (await createTestDatabase()).url;
    dataSource = await openDataSource(
      patientDataSource({ url: databaseUrl, poolSize: 4, entities: [ServiceSecret] }),
    );
    onCleanup(() => dataSource.destroy());
  });

  /** A process that has read nothing yet. */
  const startProcess = () => {
    const secrets = new ServiceSecrets(dataSource.getRepository(ServiceSecret));
    const tokens = new PageTokens(secrets);
    const links = new DownloadLinks(secrets);
    return {
      secrets,
      makeToken: async () => {
        const page = await tokens.toPage(SCOPE, { pageSize: 1 }, ['a', 'b'], (row) => [row]);
        return page.nextPageToken!;
      },
      readToken: (token: string) => tokens.read(SCOPE, token),
      makeLink: async (): Promise<DownloadLink> => {
        const made = await links.makeUrls({ operationId: OPERATION, expiresAt: 1, baseUrl: 'http://a' });
        const url = new URL(made.file);
        const { expires = '', signature = '' } = Object.fromEntries(url.searchParams);
        return { operationId: OPERATION, expires, signature };
      },
      isGenuine: (link: DownloadLink) => links.isGenuine(link),
    };
  };

  const rotateByCommand = async () => {
    const command = await spawnProcess({
      entry: 'dist/bundled/src/keys.js',
      args: ['rotate-secrets'],
      env: { DATABASE_URL: databaseUrl },
    });
    const { code } = await command.exited;
    return { code, output: command.output };
  };

  const pass = (minutes: number) =>
    dataSource.query("UPDATE service_secrets SET created_at = created_at - $1 * interval '1 minute'", [
      minutes,
    ]);

  it('are rotated without a break in what is in use', async () => {
    const before = startProcess();
    const [oldToken, oldLink] = [await before.makeToken(), await before.makeLink()];
    const derived = await before.secrets.get('operation-ids');
    await before.secrets.rotate();

    // A process that has not heard of it takes what the others sign, and they what it signs.
    const informed = startProcess();
    expect(await before.readToken(await informed.makeToken())).toEqual(['a']);
    expect(await before.isGenuine(await informed.makeLink())).toBe(true);
    expect(await informed.readToken(oldToken)).toEqual(['a']);
    expect(await informed.isGenuine(oldLink)).toBe(true);

    await pass(1);
    const after = startProcess();
    const [newToken, newLink] = [await after.makeToken(), await after.makeLink()];
    expect(newToken).not.toBe(oldToken);
    expect(newLink).not.toEqual(oldLink);
    expect(await informed.readToken(newToken)).toEqual(['a']);
    expect(await informed.isGenuine(newLink)).toBe(true);
    expect(await after.readToken(oldToken)).toEqual(['a']);
    expect(await after.isGenuine(oldLink)).toBe(true);

    await informed.secrets.rotate();
    await pass(1);
    const last = startProcess();
    await expect(last.readToken(oldToken)).rejects.toThrow('pageToken: must be');
    expect(await last.isGenuine(oldLink)).toBe(false);
    expect(await last.readToken(newToken)).toEqual(['a']);
    expect(await last.isGenuine(newLink)).toBe(true);
    expect(await last.secrets.get('operation-ids')).toEqual(derived);
  });

  it('are not rotated again while some process may not know the last ones', async () => {
    await pass(1);
    const rotations = await Promise.allSettled(
      [startProcess(), startProcess()].map((p) => p.secrets.rotate()),
    );
    expect(rotations.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await pass(-60); // a command may take its minute to start
    expect(await rotateByCommand()).toEqual({
      code: 2,
      output: 'the secrets were rotated less than a minute ago\n',
    });
    await pass(61);
    expect((await rotateByCommand()).code).toBe(0);
  });
});
