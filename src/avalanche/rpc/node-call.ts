import { RpcError, type RpcErrorCode } from './rpc.error.js';

/** One request to one node that is over. */
export interface NodeCall {
  /** With its port. */
  readonly host: string;
  /** Of a batch that of its first call. */
  readonly method: string;
  /** `ABORTED`: the caller gave up. */
  readonly outcome: 'OK' | RpcErrorCode | 'ABORTED';
  readonly durationMs: number;
}

export type NodeCallListener = (call: NodeCall) => void;

/** Runs a request and reports its end to the listener. */
export async function reportedTo<T>(
  listener: NodeCallListener | undefined,
  { host, method }: Pick<NodeCall, 'host' | 'method'>,
  run: () => Promise<T>,
): Promise<T> {
  if (listener === undefined) return run();
  const startedAtMs = performance.now();
  let outcome: NodeCall['outcome'] = 'ABORTED';
  try {
    const answer = await run();
    outcome = 'OK';
    return answer;
  } catch (error) {
    if (error instanceof RpcError) outcome = error.code;
    throw error;
  } finally {
    listener({ host, method, outcome, durationMs: performance.now() - startedAtMs });
  }
}
