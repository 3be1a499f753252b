import { describe, expect, it } from '@jest/globals';
import { poll } from './poll.js';
import { silent } from './progress.js';
import { Supervisor, type Server } from './supervisor.js';

class FakeServer implements Server {
  readonly pid = 1;
  isUp = true;
  private resolveExit: (exit: { code: number; signal: null }) => void = () => undefined;
  readonly exited = new Promise<{ code: number; signal: null }>((resolve) => {
    this.resolveExit = resolve;
  });

  describeExit(): string {
    return 'it broke';
  }

  crash(): void {
    this.isUp = false;
    this.resolveExit({ code: 1, signal: null });
  }

  async stop(): Promise<void> {
    this.crash();
  }
}

async function startSupervisor(
  options: { restartDelaysMs?: number[]; starts?: (() => Promise<FakeServer>)[] } = {},
) {
  const started: FakeServer[] = [];
  const givenUp: string[] = [];
  const starts = options.starts ?? [];
  const supervisor = await Supervisor.start<FakeServer>({
    name: 'it',
    start: () => starts.shift()?.() ?? Promise.resolve(new FakeServer()),
    onStarted: (server) => started.push(server),
    onGivenUp: (reason) => givenUp.push(reason.message),
    progress: silent,
    restartDelaysMs: options.restartDelaysMs ?? [0, 0, 0],
  });
  const waitFor = (what: string, condition: () => boolean): Promise<true> =>
    poll({ what, timeoutMs: 5_000, intervalMs: 1, ask: () => (condition() ? true : undefined) });
  return { supervisor, started, givenUp, waitFor };
}

describe(Supervisor.name, () => {
  it('starts a server again that has ended by itself', async () => {
    const { supervisor, started, waitFor } = await startSupervisor();
    started[0]?.crash();
    await waitFor('second start', () => started.length === 2);
    expect(supervisor.current).toBe(started[1]);
    await supervisor.stop();
  });

  it('counts a failed start as one more restart', async () => {
    const fails = (): Promise<FakeServer> => Promise.reject(new Error('port taken'));
    const { supervisor, started, waitFor } = await startSupervisor({
      starts: [() => Promise.resolve(new FakeServer()), fails, fails],
    });
    started[0]?.crash();
    await waitFor('start after two failures', () => started.length === 2);
    await supervisor.stop();
  });

  it('gives up with the reason when it ends too often', async () => {
    const { started, givenUp, waitFor } = await startSupervisor({ restartDelaysMs: [0, 0] });
    for (const start of [0, 1, 2]) {
      await waitFor(`start ${start}`, () => started.length === start + 1);
      started[start]?.crash();
    }
    await waitFor('giving up', () => givenUp.length > 0);
    expect(givenUp).toEqual(['it does not stay up after 2 restarts: it broke']);
  });

  it('does not start it again after stop', async () => {
    const { supervisor, started } = await startSupervisor();
    await supervisor.stop();
    expect(started).toHaveLength(1);
    expect(supervisor.current.isUp).toBe(false);
  });

  it('stops at once while it waits for the next restart', async () => {
    const { supervisor, started, givenUp, waitFor } = await startSupervisor({ restartDelaysMs: [3_600_000] });
    started[0]?.crash();
    await waitFor('the crash', () => started[0]?.isUp === false);
    await supervisor.stop();
    expect(started).toHaveLength(1);
    expect(givenUp).toEqual([]);
  });
});
