/**
 * Base of every error that the Avalanche library raises on purpose.
 * `code` is what programs branch on; the text is for people. Translated only at borders (HTTP filter, activities).
 */
export abstract class AvalancheError<Code extends string = string> extends Error {
  constructor(
    readonly code: Code,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** `instanceof` alone would leave the code's type open. */
export function isAvalancheError(error: unknown): error is AvalancheError {
  return error instanceof AvalancheError;
}
