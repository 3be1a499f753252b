/** Shows a waiting person one line of progress. */
export type Progress = (text: string) => void;

export const silent: Progress = () => undefined;

const REPEAT_INTERVAL_MS = 15_000;

/** Repeats that a long step is still going on, until it has ended. */
export async function withProgress<T>(progress: Progress, text: string, step: Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const timer = setInterval(() => {
    progress(`${text}: still at it after ${Math.round((performance.now() - startedAt) / 1000)} s`);
  }, REPEAT_INTERVAL_MS);
  try {
    return await step;
  } finally {
    clearInterval(timer);
  }
}
