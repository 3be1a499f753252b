import { afterAll, afterEach, beforeEach } from '@jest/globals';

type Cleanup = () => Promise<unknown> | void;

/** Clean-up of one test, or of the hooks of a spec file. */
export class Cleanups {
  private readonly stops: Cleanup[] = [];
  private readonly others: Cleanup[] = [];

  add(cleanup: Cleanup): void {
    this.others.push(cleanup);
  }

  /** For processes of the service: all at once, and before the servers that they use. */
  addStop(stop: Cleanup): void {
    this.stops.push(stop);
  }

  /** All of them, also when some fail. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    const attempt = async (cleanup: Cleanup): Promise<void> => {
      try {
        await cleanup();
      } catch (error) {
        failures.push(error);
      }
    };
    await Promise.all(this.stops.splice(0).map(attempt));
    for (const cleanup of this.others.splice(0).reverse()) await attempt(cleanup);
    if (failures.length > 0) throw new AggregateError(failures, 'cannot tidy up');
  }
}

const ofFile = new Cleanups();
let ofTest: Cleanups | undefined;

// Registered with the spec file that imports this one. Servers and processes of former tests would take processor time from later ones.
beforeEach(() => {
  ofTest = new Cleanups();
});
afterEach(async () => {
  const cleanups = ofTest;
  ofTest = undefined;
  await cleanups?.run();
});
afterAll(() => ofFile.run());

/** Those of the test that is running, or of the spec file when a `beforeAll` asks. */
export function currentCleanups(): Cleanups {
  return ofTest ?? ofFile;
}

/** Runs after the test that is running, or after the last one of the spec file when a `beforeAll` asks for it; the latest first. */
export function onCleanup(cleanup: Cleanup): void {
  currentCleanups().add(cleanup);
}
