import type { StateQuery } from '../rpc/evm-client.js';
import type { Address } from '../rpc/hex-values.js';
import type { ReadStates } from './find-changes.js';

export interface AccountState {
  readonly nonce: bigint;
  /** In the smallest unit of the native asset. */
  readonly balance: bigint;
}

/** An account after a block. */
export interface AccountAt {
  readonly address: Address;
  readonly height: bigint;
}

/** The nonce and the balance at each place. */
export function stateQueries(places: readonly AccountAt[]): StateQuery[] {
  return places.flatMap(({ address, height }) => [
    { address, field: 'nonce', height },
    { address, field: 'balance', height },
  ]);
}

/** In the order of the places. Throws what `read` throws. */
export async function readAccountStates(
  places: readonly AccountAt[],
  read: ReadStates,
): Promise<AccountState[]> {
  const values = await read(stateQueries(places));
  return places.map((_, index) => {
    const [nonce, balance] = values.slice(2 * index);
    if (nonce === undefined || balance === undefined) throw new RangeError('a query ended without an answer');
    return { nonce, balance };
  });
}
