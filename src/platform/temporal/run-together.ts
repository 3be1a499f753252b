export interface RunningWorkers {
  /** Hands back what is running, for others to go on with. */
  close(): Promise<void>;
  /** Rejects when a worker fails for good; the process must end then, so that its supervisor restarts it. */
  completed: Promise<void>;
}

/** Workers over one connection. `stop` asks them to end; the connection may be closed once all have, also if one has failed before. */
export function runTogether(
  runs: readonly Promise<void>[],
  { stop, connection }: { stop: () => void; connection: { close(): Promise<void> } },
): RunningWorkers {
  const ended = Promise.allSettled(runs);
  const completed = Promise.all(runs).then(() => undefined);
  completed.catch(() => undefined); // nobody may have begun to listen
  return {
    completed,
    close: async () => {
      stop();
      await ended;
      await connection.close();
    },
  };
}
