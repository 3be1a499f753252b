import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TlsIdentity } from '../../avalanche/p2p/peer/tls-identity.js';
import { Config } from './config.module.js';
import { parseEnv } from './env.schema.js';

const DATABASE_URL = 'postgres://unused';

describe(parseEnv.name, () => {
  it.each([
    ['9464', { host: '127.0.0.1', port: 9464 }],
    ['0.0.0.0:9464', { host: '0.0.0.0', port: 9464 }],
    ['metrics.local:80', { host: 'metrics.local', port: 80 }],
    ['[::1]:9464', { host: '::1', port: 9464 }],
  ])('reads %s as an address', (text, address) => {
    expect(parseEnv({ DATABASE_URL, METRICS_ADDRESS: text }).METRICS_ADDRESS).toEqual(address);
  });

  it.each(['localhost', '127.0.0.1:', '127.0.0.1:65536', 'http://127.0.0.1:9464'])(
    'refuses the address %s',
    (text) => {
      expect(() => parseEnv({ DATABASE_URL, METRICS_ADDRESS: text })).toThrow('METRICS_ADDRESS');
    },
  );

  it('wants a token where there is an address for operators', () => {
    expect(() => parseEnv({ DATABASE_URL, ADMIN_ADDRESS: '3001' })).toThrow('ADMIN_TOKEN');
  });

  it('reads the addresses of Temporal', () => {
    const { TEMPORAL_ADDRESS } = parseEnv({
      DATABASE_URL,
      TEMPORAL_ADDRESS: 'temporal, 10.0.0.1:7233,[::1]:1',
    });
    expect(TEMPORAL_ADDRESS).toEqual(['temporal', '10.0.0.1:7233', '[::1]:1']);
  });

  it.each([',', 'http://temporal:7233', 'temporal:', '::1'])(
    'refuses %s as an address of Temporal',
    (text) => {
      expect(() => parseEnv({ DATABASE_URL, TEMPORAL_ADDRESS: text })).toThrow('TEMPORAL_ADDRESS');
    },
  );

  it.each([
    ['LOG_LEVEL', 'verbose'],
    ['TRUSTED_PROXIES', '10.0.0.0/8,nowhere'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TEMPORAL_ADDRESS', 'temporal:7233,temporal:72330'],
    ['WEBHOOK_TRUSTED_HOSTS', 'hooks.internal:0'],
    ['FUJI_PEERS', 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg@203.0.113.7:96510'],
    ['FUJI_PEERS', 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lh@203.0.113.7:9651'],
    ['NETWORKS', 'fuji:4294967296'],
    ['NETWORKS', 'fuji,mainnet,fuji:7'],
    ['DATABASE_POOL_SIZE', '1'],
    ['PUBLIC_URL', 'https://api.example/?via=proxy'],
  ])('names %s where it is %s', (name, value) => {
    expect(() => parseEnv({ DATABASE_URL, [name]: value })).toThrow(
      new RegExp(`^bad configuration: ${name}`),
    );
  });

  it('reads hosts in the form that URLs have them, and each queue once', () => {
    const { WEBHOOK_TRUSTED_HOSTS, WORKER_QUEUES, TRUSTED_PROXIES } = parseEnv({
      DATABASE_URL,
      WEBHOOK_TRUSTED_HOSTS: 'Hooks.Internal:8080',
      WORKER_QUEUES: 'exports,nfts,exports',
      TRUSTED_PROXIES: 'loopback,10.0.0.0/8,::1',
    });
    expect({ WEBHOOK_TRUSTED_HOSTS, WORKER_QUEUES, TRUSTED_PROXIES }).toEqual({
      WEBHOOK_TRUSTED_HOSTS: ['hooks.internal:8080'],
      WORKER_QUEUES: ['exports', 'nfts'],
      TRUSTED_PROXIES: ['loopback', '10.0.0.0/8', '::1'],
    });
  });
});

describe('files for a connection to Temporal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nds-env-'));
  const [certificate, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];

  beforeAll(() => {
    const { certPem, keyPem } = TlsIdentity.generate();
    writeFileSync(certificate, certPem);
    writeFileSync(key, keyPem);
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const parse = (files: Record<string, string>) => () => parseEnv({ DATABASE_URL, ...files });

  it.each([
    ['a certificate without its key', { TEMPORAL_TLS_CERT_FILE: certificate }, /TEMPORAL_TLS_KEY_FILE/],
    ['a key without its certificate', { TEMPORAL_TLS_KEY_FILE: key }, /TEMPORAL_TLS_CERT_FILE/],
    ['a file that there is not', { TEMPORAL_TLS_CA_FILE: '/none' }, /TEMPORAL_TLS_CA_FILE: .*ENOENT/],
    [
      'a file without a certificate',
      { TEMPORAL_TLS_CA_FILE: key },
      /TEMPORAL_TLS_CA_FILE: must be a file with a certificate in PEM/,
    ],
    [
      'a file without a key',
      { TEMPORAL_TLS_CERT_FILE: certificate, TEMPORAL_TLS_KEY_FILE: certificate },
      /TEMPORAL_TLS_KEY_FILE: must be a file with a private key in PEM, without a password/,
    ],
  ])('are refused: %s', (_name, files, problem) => {
    expect(parse(files)).toThrow(problem);
  });

  it('are read', () => {
    const files = {
      TEMPORAL_TLS_CA_FILE: certificate,
      TEMPORAL_TLS_CERT_FILE: certificate,
      TEMPORAL_TLS_KEY_FILE: key,
    };
    expect(parse(files)).not.toThrow();
  });
});

describe(Config.name, () => {
  it('derives what indexes need from the timeout of a request and the number of concurrent ones', () => {
    const config = new Config(parseEnv({ DATABASE_URL }));
    expect(config).toMatchObject({ indexRequestTimeoutMs: 20_000, indexBatchBlocks: 2_000 });
  });
});
