import { activityInfo, heartbeat } from '@temporalio/activity';

/** Proves life until the returned function is called. Local activities have no heartbeat. */
export function startHeartbeat(): () => void {
  const { heartbeatTimeoutMs } = activityInfo();
  if (heartbeatTimeoutMs === undefined || heartbeatTimeoutMs === 0) return () => undefined;
  const timer = setInterval(() => heartbeat(), heartbeatTimeoutMs / 4);
  return () => clearInterval(timer);
}
