import type { Address } from '../rpc/hex-values.js';
import { type AccountState, readAccountStates } from './account-state.js';
import { findChanges, type ReadStates, type StateChange, type StateSpan } from './find-changes.js';

/** A block that changed an account. */
export interface AccountChange {
  readonly height: bigint;
  readonly before: AccountState;
  readonly after: AccountState;
}

/** Changes of an account in the blocks above one height, up to another. */
export interface AccountHistory {
  readonly address: Address;
  readonly opening: AccountState;
  readonly closing: AccountState;
  /** Ascending by height. */
  readonly changes: readonly AccountChange[];
}

/** Blocks above `from`, up to `to`. At -1, before its first block, a chain has no accounts. */
export interface SearchRange {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * The blocks that changed the nonce or the balance of accounts.
 *
 * Complete for an account whose key has signed something, on any chain: whatever takes from its balance is signed, and raises its
 * nonce; so with equal nonces the balance only grows, and equal balances at both ends prove that nothing came in between. (Code at the
 * address of a key would be a collision of hashes; of avalanchego v1.15.0 graft/coreth, graft/subnet-evm, vms/saevm and libevm all
 * callers of SubBalance and SetNonce were looked at.) Of other accounts, movements that cancel out between two heights that were asked
 * are missing: contracts pay without a nonce, and what looks like an account may have been a contract for the time of a transaction.
 *
 * Nonces first: they find the blocks in which an account has signed. Only between these the balances are compared. Asks both accounts
 * and fields together. Throws what `read` throws.
 */
export async function findAccountHistories(
  addresses: readonly Address[],
  { from, to }: SearchRange,
  read: ReadStates,
): Promise<AccountHistory[]> {
  const signed = await findChanges(
    addresses.map((address) => ({ address, field: 'nonce', from, to })),
    read,
  );
  const spans = addresses.flatMap((address) => balanceSpans(address, { from, to }, ownOf(signed, address)));
  const moved = await findChanges(spans, read);
  const openings = await readAccountStates(
    addresses.map((address) => ({ address, height: from })),
    read,
  );
  return openings.flatMap((opening, index) => {
    const address = addresses[index];
    return address === undefined
      ? []
      : [join(address, opening, ownOf(signed, address), ownOf(moved, address))];
  });
}

/** Each block that raised the nonce by itself, and what is between them: so many spans as there are heights to compare. */
function balanceSpans(
  address: Address,
  { from, to }: SearchRange,
  signed: readonly StateChange[],
): StateSpan[] {
  const heights = [from, ...signed.flatMap(({ height }) => [height - 1n, height]), to];
  return heights.flatMap((height, index): StateSpan[] => {
    const next = heights[index + 1];
    return next === undefined || next === height
      ? []
      : [{ address, field: 'balance', from: height, to: next }];
  });
}

function join(
  address: Address,
  opening: AccountState,
  signed: readonly StateChange[],
  moved: readonly StateChange[],
): AccountHistory {
  const noncesAt = new Map(signed.map((change) => [change.height, change]));
  const balancesAt = new Map(moved.map((change) => [change.height, change]));
  const heights = [...new Set([...noncesAt.keys(), ...balancesAt.keys()])].sort((a, b) => (a < b ? -1 : 1));
  let state = opening;
  const changes = heights.map((height): AccountChange => {
    const before = state;
    state = {
      nonce: noncesAt.get(height)?.after ?? before.nonce,
      balance: balancesAt.get(height)?.after ?? before.balance,
    };
    return { height, before, after: state };
  });
  return { address, opening, closing: state, changes };
}

function ownOf(changes: readonly StateChange[], address: Address): StateChange[] {
  return changes.filter((change) => change.address === address);
}
