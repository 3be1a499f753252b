import { toHex } from '../../src/avalanche/ids/hex.js';
import { nodeIdFromString } from '../../src/avalanche/ids/node-id.js';
import { PRIMARY_NETWORK } from '../../src/avalanche/platformvm/ids.js';
import type { PChainRecording } from '../recording/p-chain-recording.js';
import { parseGenesis } from '../../src/avalanche/platformvm/genesis/genesis.js';
import {
  type GeneratedBlock,
  genesisBytesOf,
  LOCAL_UPGRADES,
  pChainOf,
  PChainGenerator,
} from './p-chain-generator.js';

/** One of the simulated validators. */
export interface StakedValidator {
  readonly nodeId: string;
  /** nAVAX. */
  readonly weight: bigint;
  /** Null for one without a BLS key. */
  readonly signer: { readonly publicKey: Uint8Array; proofOfPossession(): Uint8Array } | null;
}

const AVAX = 1_000_000_000n;
const DAY = 24 * 3600;
const STAKE_SECONDS = 365 * DAY;
const BLOCK_SECONDS = 20;
/** More than all of mainnet's stake; it comes from the C-chain, where a genesis may have any amount. */
const FUNDS = 1_000_000_000n * AVAX;
const SHARES = 20_000;

/**
 * A P-chain whose own blocks make these the validators of the primary network, and nobody else: those of the genesis leave when their
 * year is over. `lastTime`: UNIX seconds of the last block, if it is to be later than right after that.
 */
export async function stakedChain(
  validators: readonly StakedValidator[],
  { networkId, lastTime = 0 }: { readonly networkId: number; readonly lastTime?: number | undefined },
): Promise<PChainRecording> {
  const genesis = parseGenesis(await genesisBytesOf(networkId));
  const generator = new PChainGenerator(genesis, 'staked chain');
  const blocks: GeneratedBlock[] = [generator.next()];
  const leaving = genesis.validators
    .flatMap(({ id, unsigned }) =>
      'validator' in unsigned ? [{ id, end: Number(unsigned.validator.end) }] : [],
    )
    .sort((a, b) => a.end - b.end);
  for (const { id, end } of leaving) {
    const { proposal, decision } = generator.decide(end, { type: 'RewardValidator', stakerTxId: id }, true);
    blocks.push(proposal, decision);
  }
  const end = leaving.at(-1)?.end ?? genesis.time;
  blocks.push(generator.fund(end + BLOCK_SECONDS, FUNDS));
  const first = Math.max(end + 2 * BLOCK_SECONDS, lastTime - validators.length * BLOCK_SECONDS);
  validators.forEach((validator, index) => {
    blocks.push(stake(generator, first + index * BLOCK_SECONDS, validator, genesis.avaxAssetId));
  });
  return pChainOf(blocks, LOCAL_UPGRADES, networkId);
}

function stake(
  generator: PChainGenerator,
  time: number,
  { nodeId, weight, signer }: StakedValidator,
  assetId: string,
): GeneratedBlock {
  const id = toHex(nodeIdFromString(nodeId));
  const owners = { locktime: 0n, threshold: 1, addresses: [id] };
  const output = { assetId, amount: weight, stakeableLocktime: null, owners };
  const { block } = generator.accept(
    time,
    (base) => ({
      ...base,
      type: 'AddPermissionlessValidator',
      validator: { nodeId: id, start: BigInt(time), end: BigInt(time + STAKE_SECONDS), weight },
      subnetId: PRIMARY_NETWORK,
      signer: signer && { publicKey: signer.publicKey, proofOfPossession: signer.proofOfPossession() },
      stake: [output],
      validationRewardsOwner: owners,
      delegationRewardsOwner: owners,
      shares: SHARES,
    }),
    output,
  );
  return block;
}
