/** SQL with its values, as the driver takes it. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}
