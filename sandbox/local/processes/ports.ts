import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';
const MAX_PORT = 65_535;
const TRIES_AFTER_PREFERRED = 100;
/** Below the ports that operating systems give to outgoing connections, each of which could take one before its server binds it. */
const OWN_PORTS = { from: 16_384, to: 32_768 };

/** Ports handed out by this process: two servers that are being started at the same time must not get the same one. */
const handedOut = new Set<number>();

/**
 * The preferred port if nothing listens on it, else the next free one above it; any free one for 0.
 * Another program can still take the port before its user binds it; servers that fail for that reason are started anew
 * with another port by their starters.
 */
export async function choosePort(preferred: number): Promise<number> {
  if (preferred === 0) return freePort();
  const last = Math.min(preferred + TRIES_AFTER_PREFERRED, MAX_PORT);
  for (let port = preferred; port <= last; port += 1) {
    if (await claim(port)) return port;
  }
  throw new Error(`no free port between ${preferred} and ${last} on ${LOOPBACK}`);
}

/** Any free port: a random one, for other processes choose theirs at the same time. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(OWN_PORTS.from, OWN_PORTS.to);
    if (await claim(port)) return port;
  }
}

async function claim(port: number): Promise<boolean> {
  if (handedOut.has(port)) return false;
  handedOut.add(port);
  if (await isFree(port)) return true;
  handedOut.delete(port);
  return false;
}

/** Makes a port available again to `choosePort`, once the server that used it has ended. */
export function releasePort(port: number): void {
  handedOut.delete(port);
}

async function isFree(port: number): Promise<boolean> {
  // Some systems let a second program bind 127.0.0.1:P while another one listens on 0.0.0.0:P, hence both questions.
  return !(await isAnswered(port)) && (await canBind(port));
}

/** Whether something takes connections there. */
export function isAnswered(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: LOOPBACK, port });
    const finish = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}

function canBind(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: LOOPBACK, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
