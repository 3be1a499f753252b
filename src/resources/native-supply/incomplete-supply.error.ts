/** A source of the figures is not there, or not to the tip; the message names it, for people. */
export class IncompleteSupplyError extends Error {
  override readonly name = 'IncompleteSupplyError';
}
