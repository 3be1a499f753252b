/** What the configured nodes see of an active validator's node. */
export const OBSERVED_NODE_COLUMNS = [
  'reachability_percent',
  'benched_p_percent',
  'benched_x_percent',
  'benched_c_percent',
  'version',
  'city',
  'country_code',
  'latitude',
  'longitude',
] as const;

/** Empty if no node has checked. */
export type ObservedNodeRow = {
  readonly [Column in Exclude<(typeof OBSERVED_NODE_COLUMNS)[number], 'version' | 'city' | 'country_code'>]:
    number | null;
} & { readonly version: string | null; readonly city: string | null; readonly country_code: string | null };
