/** What happens, told to people: the one interface for it. Nest's logger is one. */
export interface Logger {
  debug(message: string): void;
  log(message: string): void;
  warn(message: string): void;
}
