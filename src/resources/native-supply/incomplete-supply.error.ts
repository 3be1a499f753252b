/** A source of the figures is not there, or not to the tip; the message says which, for people. */
export class IncompleteSupplyError extends Error {
  override readonly name = 'IncompleteSupplyError';
}
