import { beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { type Env, EnvSchema, parseEnv } from '../../src/platform/config/env.schema.js';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { describeApi } from '../support/http/api-document.js';
import { WORKER_NODE_OPTIONS } from '../../sandbox/local/worker-process.js';
import { SHUTDOWN_TIMEOUT_MS } from '../../src/resources/health/lifecycle.js';

/**
 * Checks of the deployments that need none of their own tools: every setting exists and has a value that it takes, ports agree, and
 * whatever is run, copied or probed is there.
 */

const COMPOSE = 'docker-compose.yml';
const SYSTEMD = 'deploy/systemd';
const KUBERNETES = 'deploy/kubernetes';
const METRICS_PORT = 9464;

/** Read by the AWS SDK and by Node. */
const OTHERS = /^(AWS_\w+|NODE_ENV)$/;

const read = (...path: string[]): string => readFileSync(join(projectFolder(), ...path), 'utf8');

type Settings = Readonly<Record<string, string>>;

/** A setting and whatever is none of ours, distinguished by the schema. */
function parseSettings(settings: Settings): Env {
  const unknown = Object.keys(settings).filter((name) => !(name in EnvSchema.shape) && !OTHERS.test(name));
  expect(unknown).toEqual([]);
  return parseEnv(settings);
}

/** `node … dist/bundled/x.js` of a source that exists. */
function expectProgram(command: readonly string[]): void {
  const program = command.find((word) => word.endsWith('.js')) ?? '';
  expect(program).toMatch(/^dist\/bundled\/(src|sandbox)\//);
  expect(existsSync(join(projectFolder(), program.replace(/^dist\/bundled\/(.*)\.js$/, '$1.ts')))).toBe(true);
}

it('gives workers the same options of Node everywhere', () => {
  const command = ['node', '--enable-source-maps', ...WORKER_NODE_OPTIONS, 'dist/bundled/src/worker.js'];
  for (const file of [
    'package.json',
    COMPOSE,
    `${SYSTEMD}/nds-worker@.service`,
    `${KUBERNETES}/worker.yaml`,
  ]) {
    const asLine = read(file).replace(/['"]?,\s+['"]?/g, ' ');
    expect(asLine).toContain(command.join(' '));
  }
});

/** Paths of the API, and of the server that every process has at `METRICS_ADDRESS`. */
const probed = { http: new Set<string>(), metrics: new Set<string>() };

beforeAll(async () => {
  const document = await describeApi();
  for (const path of Object.keys(document.paths)) probed.http.add(path);
  const cases = read('src', 'resources', 'health', 'monitoring-server.ts').matchAll(/^ +case '(\/\w+)':/gm);
  for (const [, path = ''] of cases) probed.metrics.add(path);
});

describe(COMPOSE, () => {
  const Compose = z.object({
    services: z.record(
      z.string(),
      z.object({
        image: z.string(),
        command: z.union([z.string(), z.array(z.string())]).optional(),
        environment: z.record(z.string(), z.string().nullable()).default({}),
        healthcheck: z.object({ test: z.array(z.string()) }).optional(),
        ports: z.array(z.string()).default([]),
        container_name: z.string().optional(),
        volumes: z.array(z.string()).default([]),
      }),
    ),
    volumes: z.record(z.string(), z.unknown()),
  });
  const { services, volumes } = Compose.parse(parse(read(COMPOSE), { merge: true }));
  const ofImage = Object.entries(services).filter(([, { image }]) => image === 'network-data-service');

  /** As with nothing set on the host. */
  const settingsOf = ({ environment }: { environment: Record<string, string | null> }): Settings =>
    Object.fromEntries(
      Object.entries(environment).flatMap(([name, value]) =>
        value === null ? [] : [[name, value.replace(/\$\{\w+:?-?([^}]*)\}/g, '$1')]],
      ),
    );

  it.each(ofImage.filter(([name]) => name !== 'sandbox'))(
    'gives %s settings that are accepted',
    (_, service) => {
      expect(parseSettings(settingsOf(service)).DATABASE_URL).toMatch(/^postgres:/);
    },
  );

  it('lets Prometheus find the API and every worker', () => {
    const jobs = z
      .object({
        scrape_configs: z.array(
          z.object({ dns_sd_configs: z.array(z.object({ names: z.array(z.string()), port: z.number() })) }),
        ),
      })
      .parse(parse(read('deploy', 'prometheus', 'prometheus.yml')));
    const scraped = jobs.scrape_configs.flatMap(({ dns_sd_configs }) => dns_sd_configs);
    expect(scraped.flatMap(({ names }) => names).sort()).toEqual(['api', 'worker']);
    for (const name of ['api', 'worker']) {
      const { METRICS_ADDRESS } = parseSettings(settingsOf(services[name] ?? { environment: {} }));
      expect(METRICS_ADDRESS).toEqual({ host: '0.0.0.0', port: METRICS_PORT });
      expect(scraped.find(({ names }) => names.includes(name))?.port).toBe(METRICS_PORT);
    }
  });

  it('gives workers nothing that only one of them can have', () => {
    expect(services['worker']).toMatchObject({ ports: [] });
    expect(services['worker']?.container_name).toBeUndefined();
  });

  it('probes routes and ports that exist', () => {
    const probes = ofImage.flatMap(([, { healthcheck }]) => healthcheck?.test.join(' ') ?? []);
    const urls = probes.flatMap((text) => Array.from(text.matchAll(/http:\/\/127\.0\.0\.1:(\d+)([^']*)/g)));
    expect(urls.length).toBeGreaterThan(2);
    for (const [, port, path = ''] of urls) {
      const paths = { '3000': probed.http, [METRICS_PORT]: probed.metrics, '9650': new Set(['/sandbox']) }[
        port ?? ''
      ];
      expect([...(paths ?? [])]).toContain(path);
    }
  });

  it('pins every image, and mounts files that exist', () => {
    for (const { image, volumes: mounts } of Object.values(services)) {
      if (image !== 'network-data-service') expect(image).toMatch(/:v?\d+\.\d+/);
      for (const mount of mounts) {
        const [source = ''] = mount.split(':');
        const isThere = source.startsWith('./')
          ? existsSync(join(projectFolder(), source))
          : source in volumes;
        expect({ mount, isThere }).toEqual({ mount, isThere: true });
      }
    }
  });

  it('runs programs that exist', () => {
    for (const [name, { command }] of ofImage) {
      if (name !== 'api') expectProgram(Array.isArray(command) ? command : []);
    }
  });
});

describe('.docker/Dockerfile', () => {
  const lines = read('.docker', 'Dockerfile').split('\n');
  const copied = lines.flatMap((line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(' ') ?? []);

  it('copies only files that exist and are not ignored', () => {
    const kept = read('.docker', 'Dockerfile.dockerignore').match(/^!(.+)$/gm) ?? [];
    expect(copied).toContain('src');
    for (const source of copied) {
      expect(existsSync(join(projectFolder(), source))).toBe(true);
      expect(kept).toContain(`!${source}`);
    }
  });

  it('takes along the folders of sources that are read at run time', () => {
    const text = lines.join('\n');
    for (const folder of ['sandbox/recording', 'src/resources/status/page']) {
      expect(text).toContain(`COPY --from=build /app/${folder} ${folder}\n`);
      expect(readdirSync(join(projectFolder(), folder)).length).toBeGreaterThan(0);
    }
  });

  it('pins its Node, and runs a program that exists', () => {
    const bases = lines.filter((line) => line.startsWith('FROM '));
    expect(new Set(bases.map((line) => line.split(' ')[1])).size).toBe(1);
    expect(bases[0]).toMatch(/node:\d+\.\d+\.\d+-/);
    expectProgram(
      z.array(z.string()).parse(JSON.parse(lines.find((line) => line.startsWith('CMD '))?.slice(4) ?? '')),
    );
  });
});

describe(SYSTEMD, () => {
  const entriesOf = (text: string, key: string): string[] =>
    Array.from(text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm')), ([, value = '']) => value);
  const toSettings = (entries: readonly string[]): Settings =>
    Object.fromEntries(
      entries.flatMap((entry) =>
        Array.from(entry.matchAll(/^(\w+)=(.*)$/g), ([, name = '', value = '']) => [name, value]),
      ),
    );

  const common = read(SYSTEMD, 'nds-.service.d', 'common.conf');
  const file = toSettings(read(SYSTEMD, 'network-data-service.env').match(/^[A-Z_]+=.*$/gm) ?? []);
  const units = ['nds-migrate.service', 'nds-api.service', 'nds-worker@.service'];

  it.each(units)('gives %s settings that are accepted, and a program that exists', (unit) => {
    const text = read(SYSTEMD, unit).replaceAll('%i', '9465').replaceAll('%S', '/var/lib');
    const own = toSettings([...entriesOf(common, 'Environment'), ...entriesOf(text, 'Environment')]);
    parseSettings({ ...file, ...own });
    expectProgram(entriesOf(text, 'ExecStart').flatMap((command) => command.split(' ')));
  });

  it('starts processes although migrations have failed: where the database is late at boot, they wait for it', () => {
    for (const unit of units.slice(1)) {
      const text = read(SYSTEMD, unit);
      expect([entriesOf(text, 'Wants'), entriesOf(text, 'Requires')]).toEqual([['nds-migrate.service'], []]);
    }
  });

  it('allows each unit to write where it does', () => {
    const state = `/var/lib/${entriesOf(common, 'StateDirectory')[0] ?? ''}`;
    expect(entriesOf(common, 'ProtectSystem')).toEqual(['strict']);
    expect(file['EXPORT_STORAGE_URL']?.startsWith(`${state}/`)).toBe(true);
    for (const unit of units.slice(1)) {
      const { DATA_DIR: folder } = toSettings(entriesOf(read(SYSTEMD, unit), 'Environment'));
      expect(folder?.replace('%S', '/var/lib').startsWith(`${state}/`)).toBe(true);
    }
  });
});

describe(KUBERNETES, () => {
  const Probe = z.object({ httpGet: z.object({ path: z.string(), port: z.enum(['http', 'metrics']) }) });
  const Container = z.object({
    image: z.string(),
    command: z.array(z.string()).optional(),
    env: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
    ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
    startupProbe: Probe.optional(),
    livenessProbe: Probe.optional(),
    readinessProbe: Probe.optional(),
  });
  const Manifest = z.object({
    kind: z.string(),
    metadata: z.object({ name: z.string() }),
    data: z.record(z.string(), z.string()).optional(),
    stringData: z.record(z.string(), z.string()).optional(),
    spec: z.unknown().optional(),
  });
  const Workload = z.object({
    template: z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()) }),
      spec: z.object({
        terminationGracePeriodSeconds: z.number().default(30),
        containers: z.array(Container).length(1),
      }),
    }),
  });

  const kustomization = z
    .object({ resources: z.array(z.string()), images: z.array(z.object({ name: z.string() })) })
    .parse(parse(read(KUBERNETES, 'kustomization.yaml')));
  const manifests = [...kustomization.resources, 'secret.example.yaml'].flatMap((name) =>
    parseAllDocuments(read(KUBERNETES, name)).map((document) => Manifest.parse(document.toJS())),
  );
  const shared = Object.assign(
    {},
    ...manifests.map(({ data, stringData }) => data ?? stringData ?? {}),
  ) as Settings;
  const workloads = manifests
    .filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job'].includes(kind))
    .map(({ metadata, spec }) => ({ name: metadata.name, ...Workload.parse(spec).template.spec }));
  const settingsOf = ({ containers }: (typeof workloads)[number]): Settings => ({
    ...shared,
    ...Object.fromEntries((containers[0]?.env ?? []).map(({ name, value }) => [name, value])),
  });

  it('lists every file in its kustomization except that of the secrets', () => {
    const files = readdirSync(join(projectFolder(), KUBERNETES)).sort();
    expect([...kustomization.resources, 'kustomization.yaml', 'secret.example.yaml'].sort()).toEqual(files);
  });

  it.each(workloads)('gives $name settings that are accepted', (workload) => {
    const env = parseSettings(settingsOf(workload));
    const [container] = workload.containers;
    expect(kustomization.images.map(({ name }) => name)).toContain(container?.image);
    if (container?.command !== undefined) expectProgram(container.command);
    for (const { name, containerPort } of container?.ports ?? []) {
      expect(containerPort).toBe(name === 'http' ? env.PORT : env.METRICS_ADDRESS?.port);
    }
    const endsWithinMs = env.SHUTDOWN_DELAY_MS + SHUTDOWN_TIMEOUT_MS + 10_000;
    if (workload.name !== 'migrate') {
      expect(workload.terminationGracePeriodSeconds * 1_000).toBeGreaterThanOrEqual(endsWithinMs);
    }
  });

  it.each(workloads)('probes routes and ports of $name that exist', ({ name, containers: [container] }) => {
    const { startupProbe, livenessProbe, readinessProbe, ports = [] } = container ?? {};
    const probes = [startupProbe, livenessProbe, readinessProbe].filter((probe) => probe !== undefined);
    expect(probes).toHaveLength(name === 'migrate' ? 0 : 3);
    for (const { httpGet } of probes) {
      expect(ports.map((port) => port.name)).toContain(httpGet.port);
      expect([...probed[httpGet.port]]).toContain(httpGet.path);
    }
  });

  it('works on every task queue', () => {
    const served = workloads.flatMap((workload) => {
      const { API_WORKER_QUEUES: byApi, WORKER_QUEUES: byWorker } = parseSettings(settingsOf(workload));
      return workload.name === 'api' ? byApi : workload.name === 'worker' ? byWorker : [];
    });
    expect(served.sort()).toEqual(parseEnv({ DATABASE_URL: 'postgres://x' }).WORKER_QUEUES.toSorted());
  });
});
