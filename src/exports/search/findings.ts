import { z } from 'zod';
import type { SearchRange } from '../../avalanche/evm/history/account-history.js';
import type { AccountState } from '../../avalanche/evm/history/account-state.js';
import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import { AddressSchema, CountSchema, DecimalSchema } from '../record-schemas.js';

/** Blocks above `from`, up to `to`, that were searched, and the account at both ends. */
interface SearchedRange extends SearchRange {
  readonly opening: AccountState;
  readonly closing: AccountState;
}

/** How an account's blocks were found on a chain where the index did not have them. */
export interface AccountFinding {
  /** Ascending, without those that follow one another. */
  readonly ranges: readonly SearchedRange[];
  /** Whether a transaction that its key has signed was seen: the blocks that were found are all that there are. */
  readonly hasSigned: boolean;
  /** Whether it has code, or has done what only code does. */
  readonly isContract: boolean;
  /** Blocks that changed its balance or its nonce. */
  readonly changes: number;
  /** Amounts that are rows without a sender or recipient, because no more is known than that they came or went. */
  readonly unnamed: number;
}

/** By chain id, then by address. */
export type Findings = Readonly<Record<string, ChainFindings>>;

interface ChainFindings {
  /** As readers know the chain. */
  readonly chain: string;
  readonly accounts: Readonly<Record<Address, AccountFinding>>;
}

export const NOTHING_FOUND: AccountFinding = {
  ranges: [],
  hasSigned: false,
  isContract: false,
  changes: 0,
  unnamed: 0,
};

/** Of more stretches than this only the last one grows. */
const MAX_RANGES = 100;

/** -1 is before a chain's first block. */
const BoundSchema = z
  .string()
  .regex(/^-?\d{1,20}$/)
  .transform(BigInt);
const AmountSchema = DecimalSchema.transform(BigInt);
const StateSchema = z.object({ nonce: AmountSchema, balance: AmountSchema });

export const FindingsSchema = z.record(
  z.string(),
  z.object({
    chain: z.string(),
    accounts: z.record(
      AddressSchema,
      z.object({
        ranges: z.array(
          z.object({ from: BoundSchema, to: BoundSchema, opening: StateSchema, closing: StateSchema }),
        ),
        hasSigned: z.boolean(),
        isContract: z.boolean(),
        changes: CountSchema,
        unnamed: CountSchema,
      }),
    ),
  }),
);

/** Precompiles and the address that fees are burnt at: each block changes some of them, or a rule of the chain does. */
const RESERVED = /^0x0[123]00000000000000000000000000000000000[0-9a-f]{3}$/;

export function isReserved(address: Address): boolean {
  return RESERVED.test(address);
}

/** With another stretch: what was seen once stays true, and counts add up. */
export function addFinding(
  findings: Findings,
  { chainId, name }: { readonly chainId: bigint; readonly name: string },
  address: Address,
  found: AccountFinding,
): Findings {
  const key = chainId.toString();
  const known = findings[key] ?? { chain: `${name} (${chainId})`, accounts: {} };
  const before = known.accounts[address] ?? NOTHING_FOUND;
  const joined: AccountFinding = {
    ranges: found.ranges.reduce(withRange, before.ranges),
    hasSigned: before.hasSigned || found.hasSigned,
    isContract: before.isContract || found.isContract,
    changes: before.changes + found.changes,
    unnamed: before.unnamed + found.unnamed,
  };
  return { ...findings, [key]: { ...known, accounts: { ...known.accounts, [address]: joined } } };
}

function withRange(ranges: readonly SearchedRange[], range: SearchedRange): readonly SearchedRange[] {
  const last = ranges.at(-1);
  if (last === undefined || (last.to !== range.from && ranges.length < MAX_RANGES)) return [...ranges, range];
  return [...ranges.slice(0, -1), { ...last, to: range.to, closing: range.closing }];
}

/** Accounts whose rows may be incomplete, a sentence for each on each chain; none of those that are proved, as signers are. */
export function describeDoubts(findings: Findings, signers: readonly Address[]): string[] {
  return Object.values(findings).flatMap(({ chain, accounts }) =>
    entriesOf(accounts).flatMap(([address, finding]) => {
      const hasKey = signers.includes(address) || hasSignedAnywhere(findings, address);
      const doubt = doubtOf(address, finding, hasKey);
      return doubt === undefined ? [] : [`${address} on ${chain}: ${doubt}`];
    }),
  );
}

/** The same of amounts that are in the file without their other side. */
export function describeUnnamed(findings: Findings): string[] {
  return Object.values(findings).flatMap(({ chain, accounts }) =>
    entriesOf(accounts).flatMap(([address, { unnamed }]) =>
      unnamed === 0
        ? []
        : [
            `${address} on ${chain}: ${unnamed} amounts that contracts moved have no other side, as no node traces them`,
          ],
    ),
  );
}

function doubtOf(address: Address, finding: AccountFinding, hasKey: boolean): string | undefined {
  if (isReserved(address)) {
    return 'not searched for, because blocks change it by themselves; its rows need the index';
  }
  if (finding.isContract) {
    return `it has code; ${finding.changes} net changes were found, and movements between them that cancel out may be missing`;
  }
  if (hasKey) return undefined;
  return 'it has never signed a transaction; movements that cancel out between two blocks that were looked at may be missing';
}

/** A key is its owner's on every chain. */
function hasSignedAnywhere(findings: Findings, address: Address): boolean {
  return Object.values(findings).some(({ accounts }) => accounts[address]?.hasSigned === true);
}

function entriesOf(accounts: ChainFindings['accounts']): [Address, AccountFinding][] {
  return Object.entries(accounts).map(([address, finding]) => [address as Address, finding]);
}
