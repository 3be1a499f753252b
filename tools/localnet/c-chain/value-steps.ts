import { numberToHex, parseEther } from 'viem/utils';
import { Splitter, Vault } from '../contracts/artifacts.js';
import { callsOf } from '../contracts/calls.js';
import type { ValueContracts } from './contracts.js';
import type { CChainScenario } from './context.js';

const splitter = callsOf(Splitter.abi);
const { destroy } = callsOf(Vault.abi);

/** In one transaction of each type. */
export async function fund({ wallet, accounts }: CChainScenario): Promise<void> {
  const { funded: from, alice, bob, carol } = accounts;
  await wallet.runAll([
    { from, to: alice.address, value: parseEther('1000'), type: 'legacy' },
    { from, to: bob.address, value: parseEther('500.5'), type: 'eip2930' },
    { from, to: carol.address, value: parseEther('250.000000000000000001') },
  ]);
}

/** The transactions' own value: of all types, of nothing, to oneself, to contracts, and not at all. */
export async function sendNative({ wallet, accounts }: CChainScenario, to: ValueContracts): Promise<void> {
  const { alice, bob, carol, dave, erin } = accounts;
  await wallet.runAll([
    { from: alice, to: dave.address, value: parseEther('1.5'), type: 'legacy' },
    { from: alice, to: dave.address, value: 1n, type: 'eip2930' },
    { from: alice, to: dave.address, value: 0n },
    { from: alice, to: alice.address, value: parseEther('3') },
    { from: alice, to: erin.address, value: parseEther('0.25'), data: '0xc0ffee' },
    { from: bob, to: erin.address, value: parseEther('2'), data: '0xdeadbeef00' },
    { from: bob, to: bob.address },
    { from: bob, to: to.splitter, value: 11n },
    { from: carol, to: to.vault, value: 13n, tip: 0n },
    { from: carol, to: to.refuser, value: parseEther('1'), fails: true },
    { from: carol, to: to.splitter, data: splitter.burnGas(), value: 5n, gas: 60_000n, fails: true },
  ]);
}

/** The same transactions again, with their internal transfers, as often as one likes. */
export async function keepMoving(scenario: CChainScenario, to: ValueContracts): Promise<void> {
  const { alice, bob, dave, erin } = scenario.accounts;
  await scenario.wallet.runAll([
    { from: alice, to: to.splitter, value: 1_000n, data: splitter.split([bob.address, erin.address]) },
    { from: bob, to: to.splitter, value: 777n, data: splitter.passOn([to.secondSplitter, dave.address]) },
    { from: bob, to: to.splitter, value: 4_000n, data: splitter.tryPay(to.refuser, erin.address) },
  ]);
  await sendNative(scenario, to);
}

/** Value that contracts pass on within a transaction: every kind of call, and what is undone. */
export async function passValueOn({ wallet, accounts }: CChainScenario, to: ValueContracts): Promise<void> {
  const { alice, bob, dave, erin } = accounts;
  const pair = [bob.address, erin.address];
  await wallet.runAll([
    { from: alice, to: to.splitter, value: 1_000n, data: splitter.split(pair) },
    { from: alice, to: to.splitter, value: 0n, data: splitter.split(pair) },
    { from: alice, to: to.splitter, value: 777n, data: splitter.passOn([to.secondSplitter, dave.address]) },
    { from: alice, to: to.splitter, value: 100n, data: splitter.create(numberToHex(1, { size: 32 })) },
    { from: alice, to: to.splitter, value: 55n, data: splitter.createAndDestroy(dave.address) },
  ]);
  await wallet.runAll([
    { from: bob, to: to.splitter, value: 4_000n, data: splitter.tryPay(to.refuser, erin.address) },
    { from: bob, to: to.splitter, value: 90n, data: splitter.split([erin.address, to.refuser]), fails: true },
    { from: bob, to: to.secondSplitter, value: 60n, data: splitter.delegate(to.splitter, pair) },
    { from: bob, to: to.secondSplitter, value: 20n, data: splitter.callCode(to.vault) },
    { from: alice, to: to.vault, data: destroy(to.vault) },
    { from: alice, to: to.vault, data: destroy(bob.address) },
    { from: alice, to: to.emptyVault, data: destroy(bob.address) },
  ]);
}
