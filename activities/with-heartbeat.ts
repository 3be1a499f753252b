import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';

/** Two may be late or lost: a process that is busy for half of the time is not dead. */
const PER_TIMEOUT = 3;

/** Proves life while it works; the signal is that of the activity's cancellation. Local activities have no heartbeat. */
export async function withHeartbeat<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { heartbeatTimeoutMs } = activityInfo();
  const timer = heartbeatTimeoutMs
    ? setInterval(() => heartbeat(), heartbeatTimeoutMs / PER_TIMEOUT)
    : undefined;
  try {
    return await work(cancellationSignal());
  } finally {
    clearInterval(timer);
  }
}
