import type { ShortIdHex } from '../../../avalanche/ids/text.js';
import { badRequest } from '../errors/api-error.js';
import type { QueriedAddress } from './query.schema.js';

/** Throws the 400 of addresses of another network. */
export function addressesOfNetwork(
  parameter: string,
  addresses: readonly QueriedAddress[] | undefined,
  hrp: string,
): readonly ShortIdHex[] | undefined {
  if (addresses?.some((address) => address.hrp !== hrp) === true) {
    throw badRequest(`${parameter}: addresses of this network start with ${hrp}1`);
  }
  return addresses?.map(({ bytes }) => bytes);
}
