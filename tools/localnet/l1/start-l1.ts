import { getCreateAddress, parseEther } from 'viem/utils';
import { z } from 'zod';
import { type Address, toQuantity } from '../../../src/avalanche/evm/rpc/hex-values.js';
import type { Progress } from '../../../sandbox/local/processes/progress.js';
import { HexSchema } from '../../../sandbox/recording/evm-recording.js';
import { makeAccounts, namedAccount, toLowerCase } from '../c-chain/accounts.js';
import { archiveFlag } from '../c-chain/network.js';
import { ValidatorManager } from '../contracts/artifacts.js';
import type { LocalNetwork } from '../local-network.js';
import type { LocalNode } from '../local-node.js';
import { type Scenario } from '../scenario/context.js';
import { makeIdentity, type Identity } from '../scenario/identities.js';
import { convertToL1, type NewL1Validator } from '../scenario/l1.js';
import { toGuest } from '../scenario/record-scenario.js';
import { ownedBy } from '../scenario/signing-key.js';
import { createChain, createSubnet, evmGenesis, SUBNET_EVM_ID } from '../scenario/subnets.js';
import { toText } from '../scenario/wallet.js';
import { connectCChain, connectEvmChain, type EvmChain } from './evm-chain.js';
import type { Manager } from './manager.js';
import { deployMessenger, DEPLOYMENT_COSTS } from './messenger.js';
import { untilEpochReaches } from './receiving-chain.js';
import { AVAX } from '../../../src/avalanche/platformvm/state/chain-rules.js';

const L1_CHAIN_ID = 54_321;
const SECOND_CHAIN_ID = 54_322;

/** For all nodes: otherwise those of an L1 are unknown for half a minute after its conversion. */
export const L1_FLAGS: readonly string[] = ['--proposervm-use-current-height=true'];

/** 67 % are the first and any other. */
const WEIGHTS: readonly bigint[] = [50n, 30n, 20n];

/** UNIX seconds at which local networks have had all their upgrades, without which there is no Warp. */
export const GENESIS_TIME = 1_607_144_400;

/** Lasts for weeks. */
const BALANCE = 10n * AVAX;

/** Gets the fees of all transactions. */
export const L1_FEE_RECIPIENT: Address = toLowerCase(namedAccount('fee recipient').address);

/** Has something that was minted before the first block; the funded account may mint more. */
export const L1_FIRST_RECIPIENT: Address = toLowerCase(namedAccount('first recipient').address);
const FIRST_MINT = parseEther('1000000');

const MANAGER_DEPLOYER = namedAccount('validator manager');
const MANAGER_ADDRESS: Address = toLowerCase(getCreateAddress({ from: MANAGER_DEPLOYER.address, nonce: 0n }));

/** State that is on the P-chain once and for all, and has to be known when its nodes start again. */
export const CreatedL1Schema = z.object({
  subnetId: z.string(),
  blockchainId: z.string(),
  /** Of another chain of the same validators, where one was wanted. */
  secondBlockchainId: z.string().optional(),
  conversionTxId: z.string(),
  /** P-chain height from which on it has validators. */
  height: z.coerce.bigint(),
});
export type CreatedL1 = z.infer<typeof CreatedL1Schema>;

/** An L1 that makes blocks, with a messenger on its chains and on the C-chain. */
export interface L1 extends CreatedL1 {
  readonly nodes: readonly LocalNode[];
  readonly validators: readonly NewL1Validator[];
  readonly chain: EvmChain;
  readonly secondChain: EvmChain | undefined;
  readonly cChain: EvmChain;
  readonly manager: Manager;
}

export interface L1Options {
  readonly network: LocalNetwork;
  readonly scenario: Scenario;
  /** Result of an earlier start, on a network that has kept its data. */
  readonly created?: CreatedL1 | undefined;
  readonly onCreated?: (created: CreatedL1) => void;
  /** Whether it gets a second chain, of which only the id is known. */
  readonly hasSecondChain?: boolean;
  /** Content of its nodes' `upgrade.json`. */
  readonly upgrade?: object;
  readonly progress: Progress;
}

/** Nodes of its own join the network and validate it, when there is something to validate: they get the ids at their start. */
export async function startL1(options: L1Options): Promise<L1> {
  const { network, scenario, created, upgrade, progress } = options;
  const identities = WEIGHTS.map((_, index) => makeIdentity(`L1 validator ${index}`, []));
  const validators = identities.map((identity, index) => describeValidator(scenario, identity, index));
  const l1 = created ?? (await createL1(options, validators));
  const { subnetId, blockchainId } = l1;
  progress(`nodes of the L1 ${toText(subnetId)} join`);
  const flags = [`--track-subnets=${toText(subnetId)}`, archiveFlag(toText(blockchainId), upgrade)];
  const nodes = await network.join(identities.map(toGuest), flags);
  const [first] = nodes;
  if (first === undefined) throw new RangeError('an L1 has at least one node');
  const chain = connectEvmChain({
    nodeUrl: first.url,
    name: 'the L1',
    chainId: L1_CHAIN_ID,
    blockchainId,
    subnetId,
  });
  const secondChain =
    l1.secondBlockchainId === undefined
      ? undefined
      : connectEvmChain({
          nodeUrl: first.url,
          name: 'the second chain of the L1',
          chainId: SECOND_CHAIN_ID,
          blockchainId: l1.secondBlockchainId,
          subnetId,
        });
  const cChain = connectCChain(network.url, scenario.cChainId);
  progress('contracts on the L1 and the C-chain');
  const chains = secondChain === undefined ? [cChain, chain] : [cChain, chain, secondChain];
  await Promise.all([...chains.map(deployMessenger), deployManager(chain)]);
  await Promise.all([untilEpochReaches(cChain, l1.height), untilEpochReaches(chain, l1.height)]);
  return {
    ...l1,
    nodes,
    validators,
    chain,
    secondChain,
    cChain,
    manager: { chain, address: MANAGER_ADDRESS },
  };
}

async function createL1(
  { scenario, hasSecondChain, onCreated }: L1Options,
  validators: readonly NewL1Validator[],
): Promise<CreatedL1> {
  const owner = ownerOf(scenario);
  const subnetId = await createSubnet(scenario, owner);
  const blockchainId = await createChain(scenario, {
    subnetId,
    owner,
    name: 'local L1',
    vmId: SUBNET_EVM_ID,
    genesisData: evmGenesis(L1_CHAIN_ID, { since: GENESIS_TIME, precompiles: makePrecompiles() }),
  });
  // Nobody may give an L1 another chain.
  const secondBlockchainId =
    hasSecondChain === true
      ? await createChain(scenario, {
          subnetId,
          owner,
          name: 'local L1 second chain',
          vmId: SUBNET_EVM_ID,
          genesisData: evmGenesis(SECOND_CHAIN_ID, { since: GENESIS_TIME }),
        })
      : undefined;
  const { txId: conversionTxId } = await convertToL1(scenario, {
    subnetId,
    owner,
    managerChainId: blockchainId,
    managerAddress: MANAGER_ADDRESS.slice(2),
    validators,
  });
  const height = await scenario.platform.getHeight();
  const created = { subnetId, blockchainId, secondBlockchainId, conversionTxId, height };
  onCreated?.(created);
  return created;
}

/** Its native coin can be minted, and its fees are somebody's. */
function makePrecompiles(): object {
  const common = { blockTimestamp: GENESIS_TIME, adminAddresses: [makeAccounts().funded.address] };
  return {
    contractNativeMinterConfig: {
      ...common,
      initialMint: { [L1_FIRST_RECIPIENT]: toQuantity(FIRST_MINT) },
    },
    rewardManagerConfig: { ...common, initialRewardConfig: { rewardAddress: L1_FEE_RECIPIENT } },
  };
}

async function deployManager({ node, wallet, funded }: EvmChain): Promise<void> {
  const code = await node.call('eth_getCode', [MANAGER_ADDRESS, 'latest'], HexSchema);
  if (code !== '0x') return;
  await wallet.run({ from: funded, to: MANAGER_DEPLOYER.address, value: DEPLOYMENT_COSTS });
  await wallet.deploy({ from: MANAGER_DEPLOYER, data: ValidatorManager.bytecode });
}

function describeValidator(scenario: Scenario, identity: Identity, index: number): NewL1Validator {
  const owner = ownerOf(scenario);
  const weight = WEIGHTS[index] ?? 1n;
  return { identity, weight, balance: BALANCE, remainingBalanceOwner: owner, deactivationOwner: owner };
}

function ownerOf({ people }: Pick<Scenario, 'people'>) {
  return ownedBy([people.funded]);
}
