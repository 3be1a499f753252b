import { malformed } from '../evm.error.js';
import { type Address, asArray, asObject, readAddress, ZERO_ADDRESS } from '../rpc/hex-values.js';
import { BEFORE_TRANSACTIONS, type Movement } from './transfers.js';

/** Native coins that a chain's rules give to an address, or take from it when negative. */
export interface BalanceChange {
  readonly address: Address;
  /** In the smallest unit of the native asset. */
  readonly amount: bigint;
}

/** Balances that change with the first block at or after a time, before its transactions. */
interface BalanceUpgrade {
  /** UNIX seconds. */
  readonly timestampSeconds: number;
  readonly changes: readonly BalanceChange[];
}

/** The native minter's precompile begins to work at a time, or ends. */
interface MinterSwitch extends BalanceUpgrade {
  readonly isActive: boolean;
}

/** Rules of a chain that concern native coins, from its genesis on. */
export interface ChainUpgrades {
  /** In the order in which they happen. */
  readonly minter: readonly MinterSwitch[];
  readonly states: readonly BalanceUpgrade[];
  /** When the minter began to log; null when that is not known. */
  readonly durangoSeconds: number | null;
}

/** Of a chain whose rules give nothing to anybody. */
export const NO_UPGRADES: ChainUpgrades = { minter: [], states: [], durangoSeconds: null };

/** All that a chain's rules give to addresses, besides what its transactions do. */
export interface MintRules {
  /** With what the chain begins. */
  readonly genesis: readonly BalanceChange[];
  readonly upgrades: ChainUpgrades;
}

export const NO_MINTS: MintRules = { genesis: [], upgrades: NO_UPGRADES };

/** Largest size of a chain's genesis (avalanchego v1.15.0 vms/platformvm/txs/create_chain_tx.go). */
const MAX_GENESIS_CHARACTERS = 1024 * 1024;
/** Entries of a genesis or of an upgrade; a genesis of that size has room for twenty thousand. */
const MAX_CHANGES = 100_000;
const MAX_UPGRADES = 10_000;

const ADDRESS = /^(?:0x)?[0-9a-f]{40}$/i;
/** Nodes read both bases, and print hex. */
const AMOUNT = /^(-?)(\d{1,78}|0x[0-9a-f]{1,64})$/i;
const TOO_MUCH = 2n ** 256n;
/** A text, or a number outside of one. */
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * The balances with which a chain begins, from the genesis file of a subnet-evm or coreth chain (avalanchego v1.15.0 graft/subnet-evm
 * core/genesis.go): what it allocates, and what the native minter mints first when it is active from the start. An allocation
 * replaces what was minted for the same address.
 *
 * An airdrop (`airdropHash`) is in a file of the nodes, which cannot be requested.
 *
 * Throws EvmError `MALFORMED`.
 */
export function readGenesisAllocations(genesisJson: string): BalanceChange[] {
  const genesis = asObject(parseExactly(genesisJson), 'genesis');
  const start = isAbsent(genesis['timestamp']) ? 0 : readSeconds(genesis['timestamp']);
  const { minter } = readChainUpgrades(genesis['config'] ?? {});
  const minted = minter.filter(({ timestampSeconds }) => timestampSeconds <= start);
  const allocated = readChanges(genesis['alloc'], (account) => asObject(account, 'allocation')['balance']);
  const changes = [...minted.flatMap(({ changes }) => changes), ...allocated];
  const balances = new Map(changes.map((change) => [change.address, change]));
  return [...balances.values()].filter(isChange);
}

/**
 * Parses `eth_getChainConfig` (graft/subnet-evm params/extras), or the `config` of a genesis, which lacks later upgrades. Chains without a
 * native minter have nothing of it.
 *
 * Throws EvmError `MALFORMED`.
 */
export function readChainUpgrades(chainConfig: unknown): ChainUpgrades {
  const config = asObject(chainConfig, 'chain config');
  const upgrades = asObject(config['upgrades'] ?? {}, 'upgrades');
  const precompiles = readList(upgrades['precompileUpgrades']);
  return {
    minter: [config, ...precompiles].flatMap((entry) =>
      readMinterSwitch(entry['contractNativeMinterConfig']),
    ),
    states: readList(upgrades['stateUpgrades']).map(readStateUpgrade),
    durangoSeconds: isAbsent(config['durangoTimestamp']) ? null : readSeconds(config['durangoTimestamp']),
  };
}

/** MINT movements of the chain's first block. */
export function mintsOfGenesis(allocations: readonly BalanceChange[]): Movement[] {
  return allocations.map(toMovement);
}

/** MINT movements with which a block begins, by its own time and its parent's; the chain's first block has others. */
export function mintsOfUpgrades(
  { minter, states }: ChainUpgrades,
  block: { readonly timestampSeconds: number; readonly parentTimestampSeconds: number },
): Movement[] {
  return [...minter, ...states]
    .filter(
      ({ timestampSeconds }) =>
        block.parentTimestampSeconds < timestampSeconds && timestampSeconds <= block.timestampSeconds,
    )
    .flatMap(({ changes }) => changes.filter(isChange))
    .map(toMovement);
}

/** Whether any block up to that time may begin with such mints: then its parent's time has to be known. */
export function mayMintByUpgrades({ minter, states }: ChainUpgrades, timestampSeconds: number): boolean {
  return [...minter, ...states].some(
    (upgrade) => upgrade.timestampSeconds <= timestampSeconds && upgrade.changes.some(isChange),
  );
}

/** Whether at that time calls of the native minter minted, and only traces show it: it worked, and did not log yet. */
export function hasMintsByCalls(
  { minter, durangoSeconds }: ChainUpgrades,
  timestampSeconds: number,
): boolean {
  if (durangoSeconds === null || timestampSeconds >= durangoSeconds) return false;
  return minter.findLast((each) => each.timestampSeconds <= timestampSeconds)?.isActive ?? false;
}

/** Most allocations are for contracts, which have no balance. */
function isChange({ amount }: BalanceChange): boolean {
  return amount !== 0n;
}

function toMovement({ address, amount }: BalanceChange): Movement {
  const isGiven = amount >= 0n;
  return {
    kind: 'MINT',
    txHash: null,
    txIndex: BEFORE_TRANSACTIONS,
    logIndex: null,
    batchIndex: null,
    tracePath: null,
    from: isGiven ? ZERO_ADDRESS : address,
    to: isGiven ? address : ZERO_ADDRESS,
    contract: null,
    tokenId: null,
    amount: isGiven ? amount : -amount,
  };
}

/** None for a precompile that is named but has no time: it never becomes active. */
function readMinterSwitch(value: unknown): MinterSwitch[] {
  if (isAbsent(value)) return [];
  const { blockTimestamp, disable, initialMint } = asObject(value, 'native minter');
  if (isAbsent(blockTimestamp)) return [];
  const isActive = disable !== true;
  const changes = isActive ? readChanges(initialMint, (amount) => amount) : [];
  return [{ timestampSeconds: readSeconds(blockTimestamp), isActive, changes }];
}

function readStateUpgrade({ blockTimestamp, accounts }: Readonly<Record<string, unknown>>): BalanceUpgrade {
  const changes = readChanges(accounts, (account) => asObject(account, 'account')['balanceChange'] ?? '0x0');
  return { timestampSeconds: readSeconds(blockTimestamp), changes };
}

/** By address, in the order of the file. */
function readChanges(value: unknown, amountOf: (entry: unknown) => unknown): BalanceChange[] {
  if (isAbsent(value)) return [];
  const entries = Object.entries(asObject(value, 'balances'));
  if (entries.length > MAX_CHANGES) throw malformed(`more than ${MAX_CHANGES} balances`);
  return entries.map(([address, entry]) => ({
    address: readUnprefixedAddress(address),
    amount: readAmount(amountOf(entry)),
  }));
}

function readList(value: unknown): Readonly<Record<string, unknown>>[] {
  if (isAbsent(value)) return [];
  const entries = asArray(value, 'upgrades');
  if (entries.length > MAX_UPGRADES) throw malformed(`more than ${MAX_UPGRADES} upgrades`);
  return entries.map((entry) => asObject(entry, 'upgrade'));
}

/** In genesis files they mostly have no 0x. */
function readUnprefixedAddress(text: string): Address {
  if (!ADDRESS.test(text)) throw malformed(`${text.slice(0, 50)} is not an address`);
  return readAddress(`0x${text.slice(-40)}`, 'address');
}

/** A number as such has been rounded by JSON.parse when it is large. */
function readAmount(value: unknown): bigint {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  const [, sign, digits] = (typeof text === 'string' && AMOUNT.exec(text)) || [];
  const amount = digits === undefined ? TOO_MUCH : BigInt(digits);
  if (amount >= TOO_MUCH) throw malformed('an amount is not a 256-bit number');
  return sign === '-' ? -amount : amount;
}

/** Chains put what shall never happen beyond what a number can express exactly. */
function readSeconds(value: unknown): number {
  const seconds = typeof value === 'number' ? value : Number(readAmount(value));
  if (seconds >= 0) return seconds;
  throw malformed('a time is not a number of seconds');
}

/** With numbers as text, because JSON.parse rounds those beyond 2^53. */
function parseExactly(json: string): unknown {
  if (json.length > MAX_GENESIS_CHARACTERS) throw malformed('the genesis is too long');
  try {
    // Before the search for numbers, which would look for the end of an open text from each of its quotes anew.
    JSON.parse(json);
    return JSON.parse(
      json.replace(TEXT_OR_NUMBER, (token) => (token.startsWith('"') ? token : `"${token}"`)),
    );
  } catch {
    throw malformed('the genesis is not JSON');
  }
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}
