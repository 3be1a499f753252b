import { monitorEventLoopDelay } from 'node:perf_hooks';

const NANOSECONDS_PER_MILLISECOND = 1_000_000;

/**
 * For a limit of time between two ends that are both in this process. Does the work again when it has failed and the process stood still
 * meanwhile, for longer than `toleratedMs`; without that, it fails with the work.
 */
export async function undisturbed(toleratedMs: number, work: () => Promise<void>): Promise<void> {
  const standstills = monitorEventLoopDelay();
  standstills.enable();
  try {
    for (;;) {
      standstills.reset();
      try {
        return await work();
      } catch (error) {
        if (standstills.max / NANOSECONDS_PER_MILLISECOND <= toleratedMs) throw error;
      }
    }
  } finally {
    standstills.disable();
  }
}
