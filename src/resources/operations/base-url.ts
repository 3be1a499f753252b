import { badRequest } from '../../platform/http/errors/api-error.js';

/** How a caller has addressed this API. */
export interface RequestOrigin {
  readonly protocol: string;
  readonly host: string;
}

/** A name, an IPv4 or a bracketed IPv6 address, and a port: nothing that could put another path or user into a URL. */
const HOST = /^([\w.-]{1,253}|\[[0-9a-fA-F:.]{2,45}\])(:\d{1,5})?$/;

/** The URL of this API as its callers see it. Throws a 400 for a host that is none. */
export function baseUrlOf({ protocol, host }: RequestOrigin, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl;
  const url = `${protocol}://${host}`;
  if (!HOST.test(host) || !URL.canParse(url)) {
    throw badRequest('Host: must be a host name with an optional port');
  }
  return url;
}
