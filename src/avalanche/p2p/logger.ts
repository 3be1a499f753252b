/** What the library tells about itself; most loggers fit. */
export interface P2pLogger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
}

const ignore = (): void => undefined;

export const silentLogger: P2pLogger = { debug: ignore, info: ignore, warn: ignore };
