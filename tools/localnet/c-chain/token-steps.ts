import { Erc1155, Erc20, Erc721, FakeTransfers } from '../contracts/artifacts.js';
import { callsOf } from '../contracts/calls.js';
import type { CChainScenario } from './context.js';
import type { OddContracts, Tokens } from './contracts.js';

const MAX_UINT256 = 2n ** 256n - 1n;
/** With 18 decimals. */
const COIN = 10n ** 18n;

const erc20 = callsOf(Erc20.abi);
const erc721 = callsOf(Erc721.abi);
const erc1155 = callsOf(Erc1155.abi);
const fakeTransfers = callsOf(FakeTransfers.abi);

/** Minted, sent, sent by somebody else, sent to oneself, of nothing, of all there can be, burnt. */
export async function sendErc20(
  { wallet, accounts }: CChainScenario,
  { coin, cents }: Tokens,
): Promise<void> {
  const { alice, bob, carol, dave, erin } = accounts;
  await wallet.runAll([
    { from: carol, to: coin, data: erc20.mint(alice.address, 1_000n * COIN) },
    { from: carol, to: coin, data: erc20.mint(bob.address, 1n) },
    { from: carol, to: cents, data: erc20.mint(erin.address, MAX_UINT256) },
  ]);
  await wallet.runAll([
    { from: alice, to: coin, data: erc20.transfer(bob.address, (3n * COIN) / 2n), type: 'legacy' },
    { from: alice, to: coin, data: erc20.transfer(dave.address, 0n) },
    { from: alice, to: coin, data: erc20.transfer(alice.address, 5n * COIN) },
    { from: alice, to: coin, data: erc20.burn(7n) },
    { from: bob, to: coin, data: erc20.transferFrom(alice.address, dave.address, 42n * COIN) },
    { from: bob, to: cents, data: erc20.transferFrom(erin.address, bob.address, 12_345n) },
    { from: bob, to: cents, data: erc20.transfer(erin.address, 45n) },
    // More than there is.
    { from: carol, to: coin, data: erc20.transfer(bob.address, COIN), fails: true },
  ]);
}

export async function sendErc721({ wallet, accounts }: CChainScenario, { works }: Tokens): Promise<void> {
  const { alice, bob, carol, dave } = accounts;
  await wallet.runAll([
    { from: carol, to: works, data: erc721.mint(alice.address, 1n) },
    { from: carol, to: works, data: erc721.mint(alice.address, MAX_UINT256) },
    { from: carol, to: works, data: erc721.mint(bob.address, 0n) },
  ]);
  await wallet.runAll([
    { from: alice, to: works, data: erc721.transferFrom(alice.address, bob.address, 1n) },
    { from: dave, to: works, data: erc721.transferFrom(alice.address, dave.address, MAX_UINT256) },
    { from: bob, to: works, data: erc721.burn(0n) },
    // Of somebody who does not own it.
    { from: carol, to: works, data: erc721.transferFrom(carol.address, bob.address, 5n), fails: true },
  ]);
}

export async function sendErc1155({ wallet, accounts }: CChainScenario, { items }: Tokens): Promise<void> {
  const { alice, bob, carol, dave } = accounts;
  await wallet.runAll([
    { from: carol, to: items, data: erc1155.mint(alice.address, 10n, 100n) },
    { from: carol, to: items, data: erc1155.mint(dave.address, 11n, 1n) },
    { from: carol, to: items, data: erc1155.mintBatch(alice.address, [11n, 12n, 13n], [1n, 2n, 3n]) },
  ]);
  await wallet.runAll([
    { from: alice, to: items, data: erc1155.safeTransferFrom(alice.address, bob.address, 10n, 30n, '0x') },
    {
      from: bob,
      to: items,
      data: erc1155.safeBatchTransferFrom(alice.address, dave.address, [11n, 12n, 12n], [1n, 1n, 0n], '0x'),
    },
    {
      from: dave,
      to: items,
      data: erc1155.safeBatchTransferFrom(dave.address, bob.address, [11n], [1n], '0x'),
    },
    { from: alice, to: items, data: erc1155.burn(alice.address, 13n, 3n) },
    {
      from: alice,
      to: items,
      data: erc1155.safeTransferFrom(alice.address, bob.address, 99n, 1n, '0x'),
      fails: true,
    },
  ]);
}

/** Transfers of tokens with odd names, and logs that only look like transfers. */
export async function sendHostile({ wallet, accounts }: CChainScenario, odd: OddContracts): Promise<void> {
  const { alice, bob, carol } = accounts;
  const { oddTokens, huge, bytes32, reverting, fakes } = odd;
  const args = [alice.address, bob.address] as const;
  await wallet.runAll([
    ...oddTokens.map((to, index) => ({ from: carol, to, data: erc20.mint(alice.address, BigInt(index)) })),
    ...[huge, bytes32, reverting].map((to) => ({
      from: alice,
      to,
      data: erc20.transfer(bob.address, 1_234_567n),
    })),
    { from: carol, to: fakes, data: fakeTransfers.logAll(...args) },
    { from: carol, to: fakes, data: fakeTransfers.logOddBatches(...args) },
  ]);
}
