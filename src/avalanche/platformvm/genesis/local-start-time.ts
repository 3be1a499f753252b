import type { UnsignedTx } from '../transaction.js';
import { packGenesisFields, parseGenesisFields, type GenesisFields } from './genesis-bytes.js';

/**
 * A node of the local network moves the start time in its genesis file forward in whole steps of 270 days as far as
 * today allows, so that its validators have not left yet (avalanchego v1.14.2 genesis/config.go, getRecentStartTime).
 * The network keeps the genesis that it was started with.
 */
const STEP_SECONDS = 270 * 24 * 60 * 60;

/** All that the local network may have been started with until `now` (UNIX seconds) and one step on. */
export function* localGenesisBytes(firstBytes: Uint8Array, now: number): Generator<Uint8Array> {
  const first = parseGenesisFields(firstBytes);
  const lastTime = now + STEP_SECONDS; // clocks differ
  for (let shift = 0; Number(first.time) + shift <= lastTime; shift += STEP_SECONDS) {
    yield packGenesisFields(shiftTimes(first, BigInt(shift)));
  }
}

/** Nothing else in a genesis follows its start time: lock times are dates, and the blockchains have their own. */
function shiftTimes(genesis: GenesisFields, seconds: bigint): GenesisFields {
  return {
    ...genesis,
    time: genesis.time + seconds,
    validators: genesis.validators.map((validator) => ({
      ...validator,
      unsigned: shiftValidator(validator.unsigned, seconds),
    })),
  };
}

function shiftValidator(tx: UnsignedTx, seconds: bigint): UnsignedTx {
  if (tx.type !== 'AddValidator' && tx.type !== 'AddPermissionlessValidator') return tx;
  const { start, end } = tx.validator;
  return { ...tx, validator: { ...tx.validator, start: start + seconds, end: end + seconds } };
}
