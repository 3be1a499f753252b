import { expect } from '@jest/globals';
import { PRIMARY_NETWORK_ID } from '../../../src/avalanche/ids/id.js';
import { isRecord, type ListApi } from './list-api.js';
import { AVAX } from '../../../src/avalanche/platformvm/state/chain-rules.js';

export type Item = Record<string, unknown>;
type Query = Readonly<Record<string, string>>;

export const NETWORK = '/v1/networks/fuji';
export const MAX_VALIDATOR_STAKE = 3_000_000n * AVAX;
const ENDED = ['completed', 'removed'];

export const validators = (api: ListApi, query: Query = {}): Promise<Item[]> =>
  api.walk(`${NETWORK}/validators`, 'validators', query, () => 100);

export const idsOf = (items: readonly Item[]): unknown[] => items.map(({ txHash }) => txHash);
const isEnded = ({ validationStatus }: Item): boolean => ENDED.includes(String(validationStatus));
export const part = (item: Item, name: string): Item => {
  const value = item[name];
  if (!isRecord(value)) throw new Error(`no ${name} in ${JSON.stringify(item)}`);
  return value;
};
export const amount = (item: Item, name: string): bigint => BigInt(String(item[name]));
export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, each) => total + each, 0n);

/** Nothing that has ended stands before what has time remaining, and no bound finds it. */
export async function expectEndedOnesLast(api: ListApi): Promise<void> {
  const all = await validators(api);
  const running = all.filter((item) => !isEnded(item));
  expect(running.length).toBeGreaterThan(0);
  expect(running.length).toBeLessThan(all.length);
  for (const sortOrder of ['asc', 'desc']) {
    const sorted = await validators(api, { sortBy: 'timeRemaining', sortOrder });
    expect(new Set(idsOf(sorted))).toEqual(new Set(idsOf(all)));
    expect(sorted.slice(running.length).every(isEnded)).toBe(true);
    const ends = sorted.slice(0, running.length).map(({ endTimestamp }) => Number(endTimestamp));
    expect(ends).toEqual([...ends].sort((a, b) => (sortOrder === 'asc' ? a - b : b - a)));
  }
  const bounds: Query[] = [{ minTimeRemaining: '0' }, { maxTimeRemaining: '2147483647' }];
  for (const query of bounds) {
    expect(new Set(idsOf(await validators(api, query)))).toEqual(new Set(idsOf(running)));
  }
  for (const validationStatus of ENDED) {
    expect(await validators(api, { validationStatus, maxTimeRemaining: '0' })).toEqual([]);
  }
}

/** Each validator's capacity follows from its other fields, and bounds separate it from one nAVAX more or less. */
export async function expectExactCapacities(api: ListApi): Promise<void> {
  const active = await validators(api, { validationStatus: 'active', subnetId: PRIMARY_NETWORK_ID });
  expect(active.length).toBeGreaterThan(0);
  for (const validator of active) {
    const weight = amount(validator, 'amountStaked');
    const limit = 5n * weight < MAX_VALIDATOR_STAKE ? 5n * weight : MAX_VALIDATOR_STAKE;
    const capacity = limit - weight - amount(validator, 'amountDelegated');
    expect(amount(validator, 'delegationCapacity')).toBe(capacity);
    const within = async (min: bigint, max: bigint): Promise<boolean> => {
      const bounds = { minDelegationCapacity: String(min), maxDelegationCapacity: String(max) };
      return idsOf(await validators(api, bounds)).includes(validator['txHash']);
    };
    expect(await within(capacity, capacity)).toBe(true);
    expect(await within(capacity + 1n, capacity + 1n)).toBe(false);
    const crossed = {
      minDelegationCapacity: String(capacity + 1n),
      maxDelegationCapacity: String(capacity),
    };
    expect(await api.get(`${NETWORK}/validators`, crossed)).toMatchObject({ status: 400 });
  }
}
