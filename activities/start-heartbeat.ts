import { activityInfo, heartbeat } from '@temporalio/activity';

/** Two may be late or lost: a process that is busy for half of the time is not dead. */
const PER_TIMEOUT = 3;

/** Proves life until the returned function is called. Local activities have no heartbeat. */
export function startHeartbeat(): () => void {
  const { heartbeatTimeoutMs } = activityInfo();
  if (heartbeatTimeoutMs === undefined || heartbeatTimeoutMs === 0) return () => undefined;
  const timer = setInterval(() => heartbeat(), heartbeatTimeoutMs / PER_TIMEOUT);
  return () => clearInterval(timer);
}
