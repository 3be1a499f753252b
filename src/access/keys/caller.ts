import type { ApiPlan } from './api-key.entities.js';

/** The organisation of all callers without a key. */
export const PUBLIC_ORG = 'public';
/** Its plan. */
export const PUBLIC_PLAN = 'public';

/** Who has sent a request. */
export interface Caller {
  readonly orgId: string;
  /** Undefined without a key. */
  readonly apiKeyId: string | undefined;
  /** The unit that limits are counted by: the key or, for callers without one, the address. */
  readonly subject: string;
  /** To whom belongs what is made on request: the organisation, or the address. */
  readonly owner: string;
  readonly plan: ApiPlan;
}
