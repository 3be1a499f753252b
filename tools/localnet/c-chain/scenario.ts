import { setTimeout as delay } from 'node:timers/promises';
import type { Address } from '../../../src/avalanche/evm/rpc/hex-values.js';
import type { Progress } from '../../../sandbox/local/processes/progress.js';
import type { RecordedMessage } from '../../../sandbox/recording/evm-recording.js';
import { makeAccounts, toLowerCase, type Accounts } from './accounts.js';
import { moveAcrossChains, type AtomicMovement } from './atomic.js';
import {
  deployOdd,
  deployTokens,
  deployValueFlows,
  type OddContracts,
  type Tokens,
  type ValueContracts,
} from './contracts.js';
import { EvmNode } from './evm-node.js';
import { EvmWallet } from './evm-wallet.js';
import { mintNfts, type Nft } from './nft-steps.js';
import { sendErc1155, sendErc20, sendErc721, sendHostile } from './token-steps.js';
import { fund, keepMoving, passValueOn, sendNative } from './value-steps.js';

/** Of every local network. */
export const LOCAL_CHAIN_ID = 43_112;

/** Long enough for some blocks. */
const BEFORE_ACTIVATION_MS = 12_000;

export interface CChainScenarioOptions {
  /** When new rules come, in UNIX seconds: the scenario moves things until then and behind it. */
  readonly across?: number | undefined;
}

/** Accounts and contracts on the chain in the end. */
export interface EvmCast {
  /** A short description of each. */
  readonly addresses: readonly { readonly address: Address; readonly what: string }[];
  readonly atomic: readonly AtomicMovement[];
  readonly nfts: readonly Nft[];
  readonly messages: readonly RecordedMessage[];
}

/**
 * A minute in which everything happens that a reader of movements must distinguish: native transfers in all types of transactions, tokens
 * of three standards, internal transfers of all kinds, failures, and contracts that lie.
 */
export async function runCChainScenario(
  url: string,
  step: Progress,
  { across }: CChainScenarioOptions = {},
): Promise<EvmCast> {
  const node = new EvmNode(url);
  const accounts = makeAccounts();
  const scenario = { url, node, wallet: new EvmWallet(node, LOCAL_CHAIN_ID), accounts, step };
  step('money for everybody');
  await fund(scenario);
  step('contracts');
  const [tokens, odd, values] = await Promise.all([
    deployTokens(scenario),
    deployOdd(scenario),
    deployValueFlows(scenario),
  ]);
  step('native transfers');
  await sendNative(scenario, values);
  if (across !== undefined) {
    step('across the activation');
    await delay(Math.max(0, across * 1000 - Date.now() - BEFORE_ACTIVATION_MS));
    while (Date.now() / 1000 <= across) await keepMoving(scenario, values);
    await keepMoving(scenario, values); // the first block behind it is the first of the new rules
  }
  step('tokens');
  await sendErc20(scenario, tokens);
  await sendErc721(scenario, tokens);
  await sendErc1155(scenario, tokens);
  step('tokens that lie');
  await sendHostile(scenario, odd);
  step('internal transfers');
  await passValueOn(scenario, values);
  step('to the P-chain and back');
  const atomic = await moveAcrossChains(scenario);
  step('NFTs');
  const { alice, carol } = accounts;
  const nfts = await mintNfts({ wallet: scenario.wallet, from: carol, owner: alice.address });
  const contracts = [...describeContracts(tokens, odd, values), ...describeCollections(nfts)];
  return { addresses: [...describePeople(accounts), ...contracts], atomic, nfts, messages: [] };
}

type Described = EvmCast['addresses'][number];

export function describeCollections(nfts: readonly Nft[]): Described[] {
  const collections = new Set(nfts.map(({ collection }) => collection));
  return [...collections].map((address) => ({ address, what: 'NFTs with metadata, good and bad' }));
}

function describePeople(accounts: Accounts): Described[] {
  const { funded, alice, bob, carol, dave, erin } = accounts;
  return [
    { address: toLowerCase(alice.address), what: 'sends' },
    { address: toLowerCase(bob.address), what: 'receives, and sends for others' },
    { address: toLowerCase(carol.address), what: 'deploys and mints' },
    { address: toLowerCase(dave.address), what: 'receives' },
    { address: toLowerCase(erin.address), what: 'receives, and never sends' },
    { address: toLowerCase(funded.address), what: 'funds everybody' },
  ];
}

function describeContracts(tokens: Tokens, odd: OddContracts, values: ValueContracts): Described[] {
  return [
    { address: tokens.coin, what: 'ERC-20' },
    { address: tokens.cents, what: 'ERC-20 with two decimals' },
    { address: tokens.works, what: 'ERC-721' },
    { address: tokens.items, what: 'ERC-1155' },
    ...odd.oddTokens.map((address) => ({ address, what: 'ERC-20 with odd texts' })),
    { address: odd.huge, what: 'ERC-20 with a symbol of a megabyte' },
    { address: odd.bytes32, what: 'ERC-20 with bytes32 texts' },
    { address: odd.reverting, what: 'ERC-20 that says nothing of itself' },
    { address: odd.fakes, what: 'logs what only looks like transfers' },
    { address: values.splitter, what: 'passes native value on' },
    { address: values.secondSplitter, what: 'passes native value on' },
    { address: values.vault, what: 'keeps native value, destroyed' },
    { address: values.emptyVault, what: 'kept nothing, destroyed' },
    { address: values.refuser, what: 'takes nothing' },
  ];
}
