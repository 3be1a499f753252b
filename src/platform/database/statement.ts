/** SQL with its values, as the driver takes it. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** The best plan is the same for all values, so that it need not be made anew each time. */
  readonly onePlan?: boolean;
}
