import { amount, ids, int, record } from './field.js';

/** The three columns of an owner. */
export function owners<Prefix extends string>(prefix: Prefix) {
  return record({
    locktime: amount(`${prefix}_locktime`),
    threshold: int(`${prefix}_threshold`),
    addresses: ids(`${prefix}_addresses`),
  });
}

/** An owner without a lock time. */
export function pChainOwner<Prefix extends string>(prefix: Prefix) {
  return record({ threshold: int(`${prefix}_threshold`), addresses: ids(`${prefix}_addresses`) });
}
