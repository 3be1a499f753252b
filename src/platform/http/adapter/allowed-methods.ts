import type { FastifyInstance, FastifyRequest } from 'fastify';

interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

const pathsOfServer = new WeakMap<FastifyInstance['server'], Map<string, KnownPath>>();

/** To be called before the server's routes are there. */
export function noteMethods(server: FastifyInstance): void {
  const paths = new Map<string, KnownPath>();
  pathsOfServer.set(server.server, paths);
  server.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return;
    const known = paths.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    paths.set(url, known);
    for (const each of [method].flat()) known.methods.add(each);
  });
}

/** The paths of all routes, as Fastify writes them. */
export function knownPaths({ server }: FastifyInstance): readonly string[] {
  return [...(pathsOfServer.get(server)?.keys() ?? [])];
}

/** Other methods for a path that no route was found for; empty if the path is unknown. */
export function otherMethods({ server, is404, url }: FastifyRequest): string[] {
  if (!is404) return [];
  const [path = ''] = url.split('?');
  const fitting = [...(pathsOfServer.get(server.server)?.values() ?? [])].filter(({ pattern }) =>
    pattern.test(path),
  );
  return [...new Set(fitting.flatMap(({ methods }) => [...methods]))].sort();
}

/** Of a route as Fastify writes it: `:name` for a segment, `::` for a colon. */
function patternOf(url: string): RegExp {
  const segments = url
    .replaceAll('::', '\0')
    .split(/:\w+/)
    .map((text) => text.replaceAll('\0', ':').replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
  return new RegExp(`^${segments.join('[^/]+')}/?$`);
}
