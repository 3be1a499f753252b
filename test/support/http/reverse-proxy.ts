import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, isAnswered } from '../../../sandbox/local/processes/ports.js';
import { onCleanup } from '../harness/cleanup.js';
import { fromGlobalSetup } from '../harness/env.js';
import { eventually } from '../harness/eventually.js';
import { registerProcess } from '../harness/process-register.js';
import { createTestFolder } from '../harness/services.js';

/** How operators put one in front of the service, in few lines. */
interface ProxyKind {
  readonly command: string;
  /** The argument that prints the version: it fails where the proxy is not installed. */
  readonly version: string;
  readonly args: (folder: string) => readonly string[];
  readonly configuration: (ports: { own: number; service: string }) => string;
}

const CONFIGURATION = 'proxy.conf';

const KINDS = {
  nginx: {
    command: 'nginx',
    version: '-v',
    args: (folder) => ['-p', folder, '-c', join(folder, CONFIGURATION), '-e', 'stderr', '-g', 'daemon off;'],
    configuration: ({ own, service }) => `
      pid nginx.pid;
      events { worker_connections 1024; }
      http {
        access_log off;
        client_body_temp_path temp; proxy_temp_path temp; fastcgi_temp_path temp; uwsgi_temp_path temp; scgi_temp_path temp;
        server {
          listen 127.0.0.1:${own};
          location / {
            proxy_pass http://${service};
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto $scheme;
          }
        }
      }`,
  },
  haproxy: {
    command: 'haproxy',
    version: '-v',
    args: (folder) => ['-f', join(folder, CONFIGURATION), '-db'],
    configuration: ({ own, service }) => `
      defaults
        mode http
        option forwardfor
        timeout connect 5s
        timeout client 60s
        timeout server 60s
      listen front
        bind 127.0.0.1:${own}
        server service ${service}
`,
  },
} satisfies Record<string, ProxyKind>;

export type ProxyName = keyof typeof KINDS;

/** Those that this machine has. */
export const INSTALLED_PROXIES = (Object.keys(KINDS) as ProxyName[]).filter(
  (name) => spawnSync(KINDS[name].command, [KINDS[name].version]).status === 0,
);

/** Its base URL; it is stopped after the test or the tests that it was started for. */
export async function startReverseProxy(name: ProxyName, serviceUrl: string): Promise<string> {
  const { command, args, configuration } = KINDS[name];
  const folder = createTestFolder(name);
  mkdirSync(join(folder, 'temp'));
  const own = await freePort();
  writeFileSync(join(folder, CONFIGURATION), configuration({ own, service: new URL(serviceUrl).host }));
  const proxy = spawn(command, args(folder), { stdio: ['ignore', 'ignore', 'inherit'] });
  onCleanup(() => stop(proxy));
  if (proxy.pid !== undefined) registerProcess(fromGlobalSetup('folder'), proxy.pid);
  await eventually(`${name} listens`, () => isAnswered(own));
  return `http://127.0.0.1:${own}`;
}

async function stop(proxy: ChildProcess): Promise<void> {
  if (proxy.exitCode !== null || proxy.signalCode !== null) return;
  const exited = once(proxy, 'exit');
  proxy.kill('SIGTERM');
  await exited;
}
