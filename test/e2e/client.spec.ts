import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultCChainRecording } from '../../sandbox/evm-chains/default-recordings.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import type { Client, FinishedExport } from '../../clients/typescript/src/index.js';
import type { Validator, VerifyMessageOptions } from '../../clients/typescript/src/verify.js';
import { noble } from '../../src/avalanche/bls/noble.js';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { EXAMPLES } from '../../src/platform/http/openapi/examples.js';
import { untilIndexed } from '../support/exports/export-comparison.js';
import { freePort } from '../../sandbox/local/processes/ports.js';
import { headersWithKey } from '../support/http/api-keys.js';
import { TestService } from '../support/harness/service.js';
import {
  checkPrograms,
  copyExample,
  copyReadmeExample,
  installPackedClient,
  type PackedClient,
  runProgram,
} from '../support/http/packed-client.js';

const PRIMARY = '11111111111111111111111111111111LpoYY';
/** Of the sandbox. */
const networkId = 12345;
/** More than all validators of the sandbox have. */
const HEAVY = { weight: '9000000000000000' };

describe('the published client', () => {
  let sandbox: Sandbox;
  let service: TestService;
  let packed: PackedClient;
  let client: Client;
  let webhookPort: number;

  beforeAll(async () => {
    webhookPort = await freePort();
    sandbox = await startSandbox({ validators: 5, blockIntervalMs: 0 });
    [service, packed] = await Promise.all([
      TestService.start({
        nodeUrl: sandbox.url,
        env: {
          SANDBOX_NETWORKS: 'fuji',
          EVM_CHAINS_FILE: 'config/evm-chains.json',
          LOG_LEVEL: 'warn',
          WEBHOOK_TRUSTED_HOSTS: `127.0.0.1:${webhookPort}`,
        },
      }),
      installPackedClient(),
    ]);
    client = packed.main.createClient({ baseUrl: service.url });
    await untilIndexed(service, { from: 1, to: defaultCChainRecording().blocks.length - 1, chainId: 43112n });
  });

  afterAll(async () => {
    await sandbox.stop();
  });

  it('has its code and its types, and needs packages for verification only', () => {
    expect(packed.files).toEqual([
      'README.md',
      'dist/changes.d.ts',
      'dist/client.d.ts',
      'dist/errors.d.ts',
      'dist/exports.d.ts',
      'dist/http.d.ts',
      'dist/index.d.ts',
      'dist/index.js',
      'dist/schema.d.ts',
      'dist/verify.d.ts',
      'dist/verify.js',
      'dist/webhooks.d.ts',
      'package.json',
    ]);
    expect(importsOf('dist/index.js')).toEqual([]);
    expect(importsOf('dist/verify.js').filter((name) => !name.startsWith('node:'))).toEqual([
      '@noble/curves/bls12-381.js',
      '@noble/curves/ed25519.js',
      '@noble/hashes/legacy.js',
      '@noble/hashes/sha2.js',
      'zod',
    ]);
  });

  /** Imports of a file of the package. */
  const importsOf = (file: string): string[] => {
    const code = readFileSync(join(packed.installed, file), 'utf8');
    return [
      ...new Set([...code.matchAll(/^import .* from "(.+)";$/gm)].map(([, name]) => name ?? '')),
    ].sort();
  };

  it('walks through a sandbox with the program of its examples', async () => {
    copyExample(packed, 'walk.mjs');
    copyReadmeExample(packed, 'readme.ts');
    expect(checkPrograms(packed, ['walk.mjs', 'readme.ts'])).toEqual([]);
    const lines = (await runProgram(packed, 'walk.mjs', [service.url, sandbox.url])).split('\n');
    expect(lines[0]).toMatch(/^signed by \d+ of \d+$/);
    expect(lines.filter((line) => /^\d\. NodeID-/.test(line)).length).toBeGreaterThan(2);
    expect(lines).toContainEqual(expect.stringMatching(/: its rows add up to the change of its balance, /));
    expect(lines.at(-2)).toMatch(/^proved by [0-9a-f]{64}$/);
    const file = readFileSync(join(packed.folder, 'transactions.csv'), 'utf8');
    expect(file.split('\r\n').length).toBeGreaterThan(10);
  });

  it('follows changes as the program of its examples does', async () => {
    copyExample(packed, 'changes.mjs');
    expect(checkPrograms(packed, ['changes.mjs'])).toEqual([]);
    const changes = client.changes({ network: 'fuji', addresses: EXAMPLES.address, cursor: 'p:0' });
    const { value } = await changes.next();
    await changes.return();
    expect(value).toMatchObject({ data: { addresses: [EXAMPLES.address] } });
    expect(value?.cursor).toMatch(/^p:\d/);
  });

  it('receives a webhook with the program of its examples', async () => {
    copyExample(packed, 'webhook.mjs');
    expect(checkPrograms(packed, ['webhook.mjs'])).toEqual([]);
    const key = (await headersWithKey(service.databaseUrl, 'acme'))['x-data-api-key'] ?? '';
    const url = `http://127.0.0.1:${webhookPort}/`;
    const arguments_ = [service.url, key, url, String(webhookPort)];
    expect(await runProgram(packed, 'webhook.mjs', arguments_)).toMatch(/^[0-9a-f-]{36}: COMPLETED/);
    expect(await packed.main.createClient({ baseUrl: service.url, apiKey: key }).get('/v1/webhooks')).toEqual(
      {
        webhooks: [],
      },
    );
  });

  it('throws the errors of the service as their classes', async () => {
    const path = '/v1/networks/{network}/validators';
    const refused = client.get(path, { network: 'fuji', pageSize: 0 });
    await expect(refused).rejects.toThrow(packed.main.BadRequestError);
    await expect(refused).rejects.toMatchObject({
      message: expect.stringMatching(/^pageSize: /),
      requestId: expect.any(String),
      details: { method: 'GET', path: '/v1/networks/fuji/validators' },
    });
    const unknown = packed.main.createClient({ baseUrl: service.url, apiKey: 'nds_unknown' });
    await expect(unknown.get('/v1/me')).rejects.toThrow(packed.main.UnauthorizedError);
  });

  it('lists what the pages of the service have', async () => {
    const path = '/v1/networks/{network}/validators';
    const whole = await client.get(path, { network: 'fuji', pageSize: 100 });
    const listed: unknown[] = [];
    for await (const row of client.list(path, { network: 'fuji', pageSize: 2 })) listed.push(row);
    expect(listed.length).toBeGreaterThan(4);
    expect(listed).toEqual(whole.validators);
  });

  describe('when it verifies a signed message', () => {
    let signedMessage: string;
    let validators: Validator[];

    beforeAll(async () => {
      const signers = await client.get('/v1/signatureAggregator/{network}/subnets/{subnetId}/signers', {
        network: 'fuji',
        subnetId: PRIMARY,
      });
      const { pChainHeight } = signers;
      validators = await packed.verify.fetchValidators(sandbox.url, {
        subnetId: PRIMARY,
        height: pChainHeight,
      });
      const request = { message: EXAMPLES.message, pChainHeight: Number(pChainHeight) };
      ({ signedMessage } = await client.aggregateSignatures('fuji', request));
      packed.verify.verifySignedMessage(signedMessage, { validators: signers.validators, networkId });
    });

    it('names the signers and their weight', () => {
      const { verifySignedMessage } = packed.verify;
      const verified = verifySignedMessage(signedMessage, {
        validators,
        networkId,
        message: EXAMPLES.message,
      });
      expect(`0x${verified.unsignedMessage}`).toBe(EXAMPLES.message);
      const weights = new Map(validators.map(({ nodeId, weight }) => [nodeId, BigInt(weight)]));
      const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
      expect(verified.signedWeight).toBe(sum(verified.signers.map((nodeId) => weights.get(nodeId) ?? 0n)));
      expect(verified.totalWeight).toBe(sum([...weights.values()]));
      expect(verified.signedWeight * 100n).toBeGreaterThanOrEqual(verified.totalWeight * 67n);
    });

    const refusals: [string, string, () => { signed?: string } & Partial<VerifyMessageOptions>][] = [
      ['another message', 'ANOTHER_MESSAGE', () => ({ message: `${EXAMPLES.message}00` })],
      ['a message of another network', 'WRONG_NETWORK_ID', () => ({ networkId: 5 })],
      ['too little weight', 'INSUFFICIENT_WEIGHT', () => ({ validators: [...validators, HEAVY] })],
      ['other keys', 'INVALID_SIGNATURE', () => ({ validators: withOtherKey(validators) })],
      ['a signature of 95 bytes', 'INSUFFICIENT_LENGTH', () => ({ signed: signedMessage.slice(0, -2) })],
      [
        'no point',
        'MALFORMED_SIGNATURE',
        () => ({ signed: signedMessage.replace(/.{192}$/, '07'.repeat(96)) }),
      ],
      ['what is not hex', 'INVALID_HEX', () => ({ signed: 'signed!!' })],
      ['a weight that is none', 'WEIGHT_OUT_OF_RANGE', () => ({ validators: [{ weight: '-1' }] })],
    ];
    it.each(refusals)('refuses %s', (_, code, makeCase) => {
      const { signed = signedMessage, ...options } = makeCase();
      const verify = () => packed.verify.verifySignedMessage(signed, { validators, networkId, ...options });
      expect(verify).toThrow(packed.verify.VerificationError);
      expect(verify).toThrow(expect.objectContaining({ code }));
    });
  });

  describe('when it downloads an export', () => {
    let finished: FinishedExport;
    let publicKey: string;
    const target = () => join(packed.folder, 'export.csv');

    beforeAll(async () => {
      const { operationId } = await client.exportTransactions({
        type: 'TRANSACTION_EXPORT_EVM',
        options: { addresses: [EXAMPLES.evmAddress], includeChains: [EXAMPLES.evmChainId] },
      });
      const statuses: string[] = [];
      finished = await client.waitForExport(operationId, {
        onProgress: ({ operationStatus }) => statuses.push(operationStatus),
      });
      expect(statuses.at(-1)).toMatch(/^COMPLETED/);
      ({ publicKey } = await packed.verify.downloadVerified(client, finished, { path: target() }));
    });

    it('accepts the key that it has seen before, and no other', async () => {
      const { downloadVerified } = packed.verify;
      await downloadVerified(client, finished, { path: target(), publicKey });
      const other = {
        path: target(),
        publicKey: publicKey.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
      };
      await expect(downloadVerified(client, finished, other)).rejects.toMatchObject({ code: 'ANOTHER_KEY' });
    });

    it.each([
      [
        'a digit that is another one',
        (bytes: Buffer) => bytes.with(bytes.length - 10, 0x31 ^ (bytes.at(-10) ?? 0)),
      ],
      ['a line less', (bytes: Buffer) => bytes.subarray(0, bytes.lastIndexOf('\r\n', -3) + 2)],
      ['a line more', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('43112,\r\n')])],
    ])('leaves no file of what has %s', async (_, alter) => {
      const path = join(packed.folder, 'altered.csv');
      const altered = packed.main.createClient({
        baseUrl: service.url,
        fetch: async (url, init) => {
          const response = await fetch(url, init);
          if (url !== finished.downloadUrl) return response;
          return new Response(alter(Buffer.from(await response.arrayBuffer())));
        },
      });
      const download = packed.verify.downloadVerified(altered, finished, { path });
      await expect(download).rejects.toMatchObject({
        code: 'NOT_AS_PROVED',
        message: expect.stringContaining('the file is not the one that the proof is of'),
      });
      expect(existsSync(path)).toBe(false);
    });

    it('refuses the proof of another export', async () => {
      const operationId = crypto.randomUUID();
      const download = packed.verify.downloadVerified(
        client,
        { ...finished, operationId },
        { path: target() },
      );
      await expect(download).rejects.toMatchObject({ code: 'ANOTHER_EXPORT' });
    });

    it('refuses what ends elsewhere by its proof than by the answer', async () => {
      for (const nextDate of ['2020-01-01', finished.nextDate === undefined ? '2020-01-02' : undefined]) {
        const download = packed.verify.downloadVerified(
          client,
          { ...finished, nextDate },
          { path: target() },
        );
        await expect(download).rejects.toMatchObject({ code: 'ANOTHER_END' });
      }
    });

    it('fails once the file is removed', async () => {
      const { operationId } = finished;
      await client.deleteOperation(operationId);
      await expect(client.waitForExport(operationId)).rejects.toThrow(packed.main.ExportFailedError);
    });
  });
});

/** One of them has a key that nobody has signed with. */
function withOtherKey([first, ...rest]: readonly Validator[]): Validator[] {
  const key = noble.publicKeyOf(noble.secretKeyFromBytes(new Uint8Array(32).fill(1)));
  return [{ weight: '0', ...first, publicKey: toHex(key.toCompressed()) }, ...rest];
}
