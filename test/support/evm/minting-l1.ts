import type { DataSource } from 'typeorm';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import { addressFor, rawBlock, tracedBlock } from '../../../sandbox/generated/evm-block.js';
import { NATIVE_MINTER } from '../../../src/avalanche/evm/transfers/transfers.js';
import { idFromString } from '../../../src/avalanche/ids/id.js';
import type { RecordedEvmBlock } from '../../../sandbox/recording/evm-recording.js';
import { startEvmChain } from './evm-index.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';

export const [ALICE, BOB, CAROL] = [addressFor(71), addressFor(72), addressFor(73)];
export const L1 = { chainId: 99_001n, blockchainId: 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp' };
export const TIP = 40;
const timeOf = (height: number): number => 1_700_000_000 + 2 * height;

/** With block 10 something is minted, with block 20 something is taken; nothing is logged before block 30. */
const CHAIN_CONFIG = {
  durangoTimestamp: timeOf(30),
  upgrades: {
    precompileUpgrades: [
      { contractNativeMinterConfig: { blockTimestamp: timeOf(10), initialMint: { [ALICE]: '0x64' } } },
    ],
    stateUpgrades: [{ blockTimestamp: timeOf(20) - 1, accounts: { [ALICE]: { balanceChange: '-0x1' } } }],
  },
};
export const GENESIS = { alloc: { [BOB]: { balance: '0x9' } } };

const MINT = encodeFunctionData({
  abi: parseAbi(['function mintNativeCoin(address to, uint256 amount)']),
  args: [CAROL, 5n],
});

/** Nobody has anything to begin with. */
const FREE = { gasPrice: 0n, effectiveGasPrice: 0n };

/** A call of the native minter in block 15 mints; the same in blocks 5 and 35 does not, or there would be a log. */
function makeBlock(height: number): RecordedEvmBlock {
  if (![5, 15, 35].includes(height)) return tracedBlock(rawBlock(height));
  const call = { type: 'CALL', from: ALICE, to: NATIVE_MINTER, value: '0x0', input: MINT };
  return tracedBlock(rawBlock(height, [{ from: ALICE, to: NATIVE_MINTER, gasUsed: 60_000n, ...FREE }]), [
    call,
  ]);
}

/** As the chain's rules and the minter give it. */
const GIVEN = [
  { height: 0, address: BOB, amount: '9' },
  { height: 10, address: ALICE, amount: '100' },
  { height: 15, address: CAROL, amount: '5' },
  { height: 20, address: ALICE, amount: '-1' },
];

/** A node of an L1 that mints in all ways. */
export function startMintingL1(): Promise<Sandbox> {
  const blocks = Array.from({ length: TIP + 1 }, (_, height) => makeBlock(height));
  return startEvmChain(blocks, { ...L1, chainConfig: CHAIN_CONFIG, given: GIVEN });
}

/** The L1's creation, as the index of the P-chain writes it. */
export async function createOnPChain(database: DataSource, genesis: object): Promise<void> {
  await database.query(
    `INSERT INTO blockchains (network, blockchain_id, subnet_id, name, vm_id, fx_ids, genesis_data, block_height, block_time)
     VALUES ('fuji', $1, '', 'an L1', '', '{}', $2, 0, 0)`,
    [Buffer.from(idFromString(L1.blockchainId)), Buffer.from(JSON.stringify(genesis))],
  );
}
