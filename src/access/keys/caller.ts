import type { ApiPlan } from './api-key.entities.js';

/** The organisation of all callers without a key. */
export const PUBLIC_ORG = 'public';
/** Its plan. */
export const PUBLIC_PLAN = 'public';

/** Sender of a request. */
export interface Caller {
  readonly orgId: string;
  /** Undefined without a key. */
  readonly apiKeyId: string | undefined;
  /** By whom limits are counted, and to whom belongs what is made on request: the organisation or, without a key, the address. */
  readonly owner: string;
  /** Without a key and with an IPv6 address: the /48 around it. */
  readonly site: string | undefined;
  readonly plan: ApiPlan;
}

const ORGANISATION = 'org:';

/** As an owner. */
export function organisation(orgId: string): string {
  return `${ORGANISATION}${orgId}`;
}

/** Whether an owner is an organisation, and not an address. */
export function isOrganisation(owner: string): boolean {
  return owner.startsWith(ORGANISATION);
}
