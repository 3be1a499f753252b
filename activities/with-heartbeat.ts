import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { inStep } from '../src/platform/in-step.js';

/** Two may be late: a process that is busy for half of the time is not dead. */
const PER_TIMEOUT = 3;

/** Proves life while it works; the signal is that of the activity's cancellation. Local activities have no heartbeat. */
export async function withHeartbeat<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { perTimeout = PER_TIMEOUT }: { readonly perTimeout?: number } = {},
): Promise<T> {
  const { heartbeatTimeoutMs } = activityInfo();
  let timer: NodeJS.Timeout | undefined;
  const beatLater = (everyMs: number): void => {
    timer = setTimeout(() => {
      beatLater(everyMs);
      heartbeat();
    }, inStep(everyMs));
  };
  if (heartbeatTimeoutMs) beatLater(heartbeatTimeoutMs / perTimeout);
  try {
    return await work(cancellationSignal());
  } finally {
    clearTimeout(timer);
  }
}
