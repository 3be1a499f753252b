import { activityInfo, heartbeat } from '@temporalio/activity';

/** Proves life until the returned function is called, so often that some may be lost. Local activities have no heartbeat. */
export function startHeartbeat(perTimeout = 4): () => void {
  const { heartbeatTimeoutMs } = activityInfo();
  if (heartbeatTimeoutMs === undefined || heartbeatTimeoutMs === 0) return () => undefined;
  const timer = setInterval(() => heartbeat(), heartbeatTimeoutMs / perTimeout);
  return () => clearInterval(timer);
}
