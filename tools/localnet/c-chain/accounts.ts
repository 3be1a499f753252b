import { createHash } from 'node:crypto';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { readAddress, type Address } from '../../../src/avalanche/evm/rpc/hex-values.js';

/** The key that the genesis of every local network funds; public on purpose. */
const FUNDED_SECRET = '0x56289e99c94b6912bfc12adc093c9b51124f0dc54ac7a766b2bc5ccf558d8027';

/** Accounts of the C-chain scenario. */
export interface Accounts {
  /** Has all the money at first. */
  readonly funded: PrivateKeyAccount;
  /** Sends. */
  readonly alice: PrivateKeyAccount;
  /** Receives, and sends on behalf of others. */
  readonly bob: PrivateKeyAccount;
  /** Deploys the contracts. */
  readonly carol: PrivateKeyAccount;
  /** Only ever receive. */
  readonly dave: PrivateKeyAccount;
  readonly erin: PrivateKeyAccount;
}

/** The same ones every time. */
export function makeAccounts(): Accounts {
  return {
    funded: privateKeyToAccount(FUNDED_SECRET),
    alice: namedAccount('alice'),
    bob: namedAccount('bob'),
    carol: namedAccount('carol'),
    dave: namedAccount('dave'),
    erin: namedAccount('erin'),
  };
}

/** The same account for the same name. */
export function namedAccount(name: string): PrivateKeyAccount {
  return privateKeyToAccount(`0x${createHash('sha256').update(`scenario evm ${name}`).digest('hex')}`);
}

/** viem writes addresses with a checksum in their case; everything else here is lower case. */
export function toLowerCase(address: Address): Address {
  return readAddress(address, 'address');
}
