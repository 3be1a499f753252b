import type { PostgresServer } from '../../../sandbox/local/postgres-server.js';
import type { TemporalServer } from '../../../sandbox/local/temporal-server.js';

export type OwnServer = TemporalServer | PostgresServer;

/** A server of one's own, to be killed, stopped and started again over the same data and on the same port. */
export interface RestartableServer<Server extends OwnServer> {
  readonly current: Server;
  stop(): Promise<void>;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** `onStarted` hears of each process. */
export async function makeRestartable<Server extends OwnServer>(
  start: (port?: number) => Promise<Server>,
  onStarted: (server: Server) => void,
): Promise<RestartableServer<Server>> {
  const startAndAnnounce = async (port?: number): Promise<Server> => {
    const server = await start(port);
    onStarted(server);
    return server;
  };
  const state = { current: await startAndAnnounce() };
  return {
    get current() {
      return state.current;
    },
    stop: () => state.current.stop(),
    kill: () => state.current.kill(),
    start: async () => {
      const wanted = state.current.port;
      state.current = await startAndAnnounce(wanted);
      if (state.current.port !== wanted) {
        throw new Error(`port ${wanted} was taken by another program meanwhile`);
      }
    },
  };
}
