import { json, type PlainRoute } from './http-server.js';
import type { SandboxValidator } from './sandbox-validator.js';

/** `GET /ext/health` and its relatives, in the node's shape; it is marked as a sandbox. */
export function makeHealthRoute(validators: readonly SandboxValidator[]): PlainRoute {
  return ({ method, path }) => {
    if (method !== 'GET' || !/^\/ext\/health(\/(health|liveness|readiness))?$/.test(path)) return undefined;
    const connectedPeers = validators.filter(({ isListed }) => isListed).length;
    const timestamp = new Date().toISOString();
    return json(200, {
      checks: {
        sandbox: { message: 'this is a simulated node', timestamp, duration: 0 },
        bootstrapped: { message: [], timestamp, duration: 0 },
        network: { message: { connectedPeers }, timestamp, duration: 0 },
      },
      healthy: true,
    });
  };
}
