export class LateError extends Error {}

/** Resolves or rejects as `work` does, or rejects with LateError after `timeoutMs`; the work itself goes on unseen. */
export async function inTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const giveUp = (): void => reject(new LateError(`no answer within ${timeoutMs} ms`));
    // Behind what has arrived while this process was busy, which may be the answer.
    timer = setTimeout(() => setImmediate(giveUp), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
