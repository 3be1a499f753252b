import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EvmError } from '../evm.error.js';
import { ZERO_ADDRESS } from '../rpc/hex-values.js';
import {
  hasMintsByCalls,
  mintsOfGenesis,
  mintsOfUpgrades,
  readChainUpgrades,
  readGenesisAllocations,
} from './native-mints.js';
import { addressFor } from '../../../../sandbox/generated/evm-block.js';
import { codesOf } from '../../../../test/support/code-of.js';

const ALICE = addressFor(1);
const BOB = addressFor(2);
const CAROL = addressFor(3);

const codeOf = codesOf(EvmError);

/** As a node prints it, once the minter was switched off and on again. */
const CHAIN_CONFIG = {
  chainId: 99_001,
  durangoTimestamp: 500,
  feeConfig: { gasLimit: 12_000_000 },
  contractNativeMinterConfig: {
    blockTimestamp: 100,
    adminAddresses: [ALICE],
    initialMint: { [ALICE]: '0x5' },
  },
  upgrades: {
    precompileUpgrades: [
      { contractNativeMinterConfig: { blockTimestamp: 200, disable: true } },
      { feeManagerConfig: { blockTimestamp: 250, adminAddresses: [ALICE] } },
      { contractNativeMinterConfig: { blockTimestamp: 300, initialMint: { [BOB]: '0x7', [CAROL]: '0x9' } } },
    ],
    stateUpgrades: [
      {
        blockTimestamp: 300,
        accounts: {
          [ALICE]: { balanceChange: '0x64' },
          [BOB]: { code: '0x00' },
          [CAROL]: { balanceChange: '-0x3' },
        },
      },
    ],
  },
};

describe(readGenesisAllocations.name, () => {
  it('reads what is allocated, in both bases and as numbers that no number can hold', () => {
    const genesis = `{ "timestamp": "0x0", "alloc": {
      "${ALICE.slice(2).toUpperCase()}": { "balance": "0x295be96e64066972000000" },
      "${BOB}": { "balance": "1000000000000000000001", "code": "0x00", "nonce": 1 },
      "${CAROL.slice(2)}": { "balance": 123456789012345678901234567890 },
      "0100000000000000000000000000000000000000": { "balance": "0x0" }
    } }`;
    expect(readGenesisAllocations(genesis)).toEqual([
      { address: ALICE, amount: 50_000_000_000_000_000_000_000_000n },
      { address: BOB, amount: 1_000_000_000_000_000_000_001n },
      { address: CAROL, amount: 123_456_789_012_345_678_901_234_567_890n },
    ]);
  });

  it('adds what is minted from the start, unless something is allocated to the same address', () => {
    const genesis = (blockTimestamp: number | null) =>
      JSON.stringify({
        timestamp: '0x64',
        config: {
          contractNativeMinterConfig: { blockTimestamp, initialMint: { [ALICE]: '0x5', [BOB]: 6 } },
        },
        alloc: { [ALICE.slice(2)]: { balance: '0x7' } },
      });
    const allocated = { address: ALICE, amount: 7n };
    expect(readGenesisAllocations(genesis(100))).toEqual([allocated, { address: BOB, amount: 6n }]);
    expect(readGenesisAllocations(genesis(101))).toEqual([allocated]);
    expect(readGenesisAllocations(genesis(null))).toEqual([allocated]);
  });

  it('leaves texts as they are, whatever numbers are in them', () => {
    const genesis = `{ "extraData": "\\"balance\\": 12, -1e9 \\\\", "alloc": { "${ALICE}": { "balance": 3 } } }`;
    expect(readGenesisAllocations(genesis)).toEqual([{ address: ALICE, amount: 3n }]);
    expect(readGenesisAllocations('{}')).toEqual([]);
  });

  it.each([
    ['no JSON', '{'],
    // Takes a quarter of an hour where each of its quotes is taken for a beginning.
    ['a long text without an end', `"${'\\"'.repeat(500_000)}`],
    ['a list', '[]'],
    ['more than a chain may begin with', `{"extraData":"${'0'.repeat(1024 * 1024)}"}`],
    ['allocations that are no object', '{ "alloc": [] }'],
    ['an account without a balance', `{ "alloc": { "${ALICE}": { "nonce": 1 } } }`],
    ['an address that is too short', `{ "alloc": { "${ALICE.slice(4)}": { "balance": 1 } } }`],
    ['a balance in scientific notation', `{ "alloc": { "${ALICE}": { "balance": 1e18 } } }`],
    ['a balance of a fraction', `{ "alloc": { "${ALICE}": { "balance": 1.5 } } }`],
    ['a balance of 257 bits', `{ "alloc": { "${ALICE}": { "balance": "${2n ** 256n}" } } }`],
    ['a time that is no number', '{ "timestamp": "soon" }'],
  ])('refuses %s', (_, genesis) => {
    expect(codeOf(() => readGenesisAllocations(genesis))).toBe('MALFORMED');
  });

  it('refuses whatever it cannot read, and nothing worse happens', () => {
    fc.assert(fc.property(fc.json(), (text) => void codeOf(() => readGenesisAllocations(text))));
    fc.assert(fc.property(fc.string(), (text) => void codeOf(() => readGenesisAllocations(text))));
  });
});

describe(readChainUpgrades.name, () => {
  const upgrades = readChainUpgrades(CHAIN_CONFIG);
  const mintsAt = (parentTimestampSeconds: number, timestampSeconds: number) =>
    mintsOfUpgrades(upgrades, { parentTimestampSeconds, timestampSeconds }).map(
      ({ from, to, amount }) => `${from} ${to} ${amount}`,
    );

  it('gives what changes with the first block at or after its time, and no other change', () => {
    const initial = `${ZERO_ADDRESS} ${ALICE} 5`;
    const later = [
      `${ZERO_ADDRESS} ${BOB} 7`,
      `${ZERO_ADDRESS} ${CAROL} 9`,
      `${ZERO_ADDRESS} ${ALICE} 100`,
      `${CAROL} ${ZERO_ADDRESS} 3`,
    ];
    expect(mintsAt(0, 99)).toEqual([]);
    expect(mintsAt(99, 100)).toEqual([initial]);
    expect(mintsAt(100, 299)).toEqual([]);
    expect(mintsAt(299, 1_000)).toEqual(later);
    expect(mintsAt(300, 300)).toEqual([]);
    expect(mintsAt(0, 1_000)).toEqual([initial, ...later]);
  });

  it('knows when calls of the minter mint without a log: while it works, before Durango', () => {
    const times = [99, 100, 199, 200, 299, 300, 499, 500];
    expect(times.filter((time) => hasMintsByCalls(upgrades, time))).toEqual([100, 199, 300, 499]);
    const { durangoTimestamp: _, ...withoutTime } = CHAIN_CONFIG;
    expect(hasMintsByCalls(readChainUpgrades(withoutTime), 150)).toBe(false);
  });

  it('finds nothing on a chain without a minter', () => {
    const none = readChainUpgrades({ chainId: 43_114, durangoTimestamp: 0 });
    expect(none).toEqual({ minter: [], states: [], durangoSeconds: 0 });
    expect(mintsOfUpgrades(none, { parentTimestampSeconds: 0, timestampSeconds: 1e12 })).toEqual([]);
    expect(hasMintsByCalls(none, 1)).toBe(false);
  });

  it.each([
    ['nothing', null],
    [
      'a mint to no address',
      { contractNativeMinterConfig: { blockTimestamp: 1, initialMint: { bob: '0x1' } } },
    ],
    [
      'a mint without an amount',
      { contractNativeMinterConfig: { blockTimestamp: 1, initialMint: { [BOB]: null } } },
    ],
    ['a state upgrade without a time', { upgrades: { stateUpgrades: [{ accounts: {} }] } }],
    ['upgrades that are no list', { upgrades: { precompileUpgrades: {} } }],
    [
      'too many upgrades',
      { upgrades: { stateUpgrades: Array<unknown>(10_001).fill({ blockTimestamp: 1 }) } },
    ],
    ['a time before 1970', { durangoTimestamp: -1 }],
  ])('refuses %s', (_, config) => {
    expect(codeOf(() => readChainUpgrades(config))).toBe('MALFORMED');
  });
});

describe(mintsOfGenesis.name, () => {
  it('makes movements of the block and of no transaction', () => {
    expect(mintsOfGenesis([{ address: ALICE, amount: 5n }])).toEqual([
      {
        kind: 'MINT',
        txHash: null,
        txIndex: -1,
        logIndex: null,
        batchIndex: null,
        tracePath: null,
        from: ZERO_ADDRESS,
        to: ALICE,
        contract: null,
        tokenId: null,
        amount: 5n,
      },
    ]);
  });
});
