/** Something that must be so at the end, and whether it is. */
export interface Verdict {
  readonly what: string;
  readonly holds: boolean;
  /** Counts, or what is wrong. */
  readonly details: string;
}
