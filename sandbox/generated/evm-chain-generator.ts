import { concatHex, encodeAbiParameters, numberToHex, padHex, parseAbiParameters } from 'viem/utils';
import {
  addressFor,
  type RawBlock,
  rawBlock,
  type RawLog,
  type RawTransaction,
  tracedBlock,
} from './evm-block.js';
import type { EvmRecording, RecordedCall, RecordedEvmBlock } from '../recording/evm-recording.js';
import { type ContractAnswers, contractOf } from './contract.js';
import { TRANSFER_GAS } from '../../src/avalanche/evm/blocks/block.js';
import type { Address, Hash, Hex } from '../../src/avalanche/evm/rpc/hex-values.js';
import {
  TRANSFER_BATCH_TOPIC,
  TRANSFER_SINGLE_TOPIC,
  TRANSFER_TOPIC,
} from '../../src/avalanche/evm/transfers/transfers.js';

export interface EvmChainShape {
  readonly blocks: number;
  readonly seed?: number;
  /** Most transactions in a block, and logs of a transaction. */
  readonly transactions?: number;
  readonly logs?: number;
  /** Accounts that take part. */
  readonly accounts?: number;
  /** Blocks from this height on have other hashes, as those of another history. */
  readonly forkedAt?: number;
  /** Contracts that the logs are of. */
  readonly tokens?: number;
  /** UNIX seconds of the block at a height: one every two seconds unless given. */
  readonly timeOf?: (height: number) => number;
  /** Fees of something, amounts that nobody lacks, and calls that only contracts pay from: as a machine would have executed it. */
  readonly isLawful?: boolean;
  /** Further content of a block, behind the made-up transactions. */
  readonly extra?: (height: number) => readonly RawTransaction[];
}

export const FIRST_TIMESTAMP_SECONDS = 1_700_000_000;
const FIRST_TOKEN = 1_000;
const FIRST_CREATED = 10_000;
const TOKEN_KINDS = ['ERC20', 'ERC20', 'ERC20', 'ERC721', 'ERC1155', 'ERC1155'] as const;

const INPUTS: readonly [Hex, ...Hex[]] = ['0x', '0x12', '0xa9059cbb', '0xa9059cbb0000'];
const CALL_TYPES = ['CALL', 'CREATE', 'SELFDESTRUCT', 'DELEGATECALL'] as const;

export function tokenContract(index: number): Address {
  return addressFor(FIRST_TOKEN + index);
}

export const TOKEN_CONTRACTS: readonly Address[] = TOKEN_KINDS.map((_, index) => tokenContract(index));

/** Made-up blocks with all kinds of movements; the same ones for the same shape. */
export function generateEvmChain({
  blocks,
  seed = 1,
  transactions = 3,
  logs = 3,
  accounts = 60,
  tokens = TOKEN_KINDS.length,
  forkedAt = blocks,
  timeOf = (height) => FIRST_TIMESTAMP_SECONDS + 2 * height,
  isLawful = false,
  extra = () => [],
}: EvmChainShape): RecordedEvmBlock[] {
  const random = makeRandom(seed);
  const pick = (): Address => addressFor(random(accounts));
  return Array.from({ length: blocks }, (_, height) => {
    const count = height === 0 ? 0 : random(transactions + 1);
    const madeUp = Array.from({ length: count }, () =>
      makeTransaction(random, pick, { logs, tokens, isLawful }),
    );
    const raw = [...madeUp, ...extra(height)];
    const block = rawBlock(height, raw, timeOf(height));
    // Fees are mostly burnt.
    if (random(5) === 0) block.block['miner'] = pick();
    const branded = height < forkedAt ? block : rebrand(block, height > forkedAt);
    return tracedBlock(
      branded,
      raw.map((transaction) => frameOf(transaction, random, pick, isLawful)),
    );
  });
}

/** Names, symbols and decimals of the contracts of generated transfers. */
export function tokenNumber(index: number): ContractAnswers {
  return { name: `Token ${index}`, symbol: `TK${index}`, decimals: BigInt(index * 3) };
}

/** Nobody runs it. */
const SOME_CODE = '0x00';
/** keccak256 of name() and so on. */
const TOKEN_QUESTIONS: readonly Hex[] = ['0x06fdde03', '0x95d89b41', '0x313ce567'];

function callsOf(to: Address, answers: ContractAnswers): RecordedCall[] {
  const contract = contractOf(answers);
  return TOKEN_QUESTIONS.flatMap((data) => {
    const result = contract(data, 'latest');
    return result === undefined ? [] : [{ to, data, answer: { result } }];
  });
}

export interface GeneratedEvmChain {
  readonly chainId: bigint;
  /** Cb58. */
  readonly blockchainId: string;
  readonly blocks: readonly RecordedEvmBlock[];
  /** Of the chain's rules: its id alone unless given. */
  readonly chainConfig?: EvmRecording['chainConfig'];
  /** Native coins that no transaction brings or takes. */
  readonly given?: EvmRecording['atomic'];
}

/** Blocks from 0 on as a sandbox serves them, of a chain of which nothing else is known. */
export function evmChainOf({
  chainId,
  blockchainId,
  blocks,
  chainConfig = { chainId: Number(chainId) },
  given = [],
}: GeneratedEvmChain): EvmRecording {
  const [first, ...others] = blocks;
  if (first === undefined) throw new RangeError('a chain has at least block 0');
  return {
    description: 'generated',
    avalanchegoVersion: '',
    blockchainId,
    chainId: numberToHex(chainId),
    addresses: [],
    blocks: [first, ...others],
    balances: {},
    code: Object.fromEntries(TOKEN_CONTRACTS.map((contract) => [contract, SOME_CODE])),
    chainConfig,
    calls: TOKEN_CONTRACTS.flatMap((contract, index) => callsOf(contract, tokenNumber(index))),
    atomic: given,
    nfts: [],
    messages: [],
  };
}

/** A whole number from 0 to below this one. */
export type Random = (below: number) => number;
type PickAccount = () => Address;

/** Mulberry32: small, and good enough to mix kinds. */
export function makeRandom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

function oneOf<T>(random: Random, values: readonly [T, ...T[]]): T {
  return values[random(values.length)] ?? values[0];
}

/** The least, the most, and what is usual. */
function makeAmount(random: Random): bigint {
  const usual = BigInt(random(1_000_000_000)) * 10n ** 12n;
  return oneOf(random, [0n, 1n, 10n ** 18n, 1_500_000n, 2n ** 256n - 1n, usual]);
}

function makeAffordable(random: Random): bigint {
  const amount = makeAmount(random);
  return amount < 2n ** 80n ? amount : 2n ** 80n;
}

function makeTransaction(
  random: Random,
  pick: PickAccount,
  { logs, tokens, isLawful }: Required<Pick<EvmChainShape, 'logs' | 'tokens' | 'isLawful'>>,
): RawTransaction {
  const isCreation = random(8) === 0;
  const isSuccess = random(7) > 0;
  const gasPrice = oneOf(random, [isLawful ? 2n : 0n, 1n, BigInt(25 + random(100)) * 10n ** 9n]);
  return {
    from: pick(),
    to: isCreation ? null : pick(),
    value: isLawful ? makeAffordable(random) : makeAmount(random),
    input: oneOf(random, INPUTS),
    gasUsed: oneOf(random, [21_000n, 50_000n]),
    gasPrice,
    effectiveGasPrice: gasPrice,
    contractAddress: isCreation ? addressFor(5_000 + random(1_000)) : null,
    status: isSuccess ? 1 : 0,
    logs: Array.from({ length: isSuccess ? random(logs + 1) : 0 }, () => makeLog(random, pick, tokens)),
  };
}

function makeLog(random: Random, pick: PickAccount, tokens: number): RawLog {
  const index = random(tokens);
  const address = tokenContract(index);
  const [from, to] = [topicOf(pick), topicOf(pick)];
  const [id, amount] = [makeAmount(random), makeAmount(random)];
  switch (TOKEN_KINDS[index % TOKEN_KINDS.length] ?? 'ERC20') {
    case 'ERC20':
      return { address, topics: [TRANSFER_TOPIC, from, to], data: word(amount) };
    case 'ERC721':
      return { address, topics: [TRANSFER_TOPIC, from, to, word(id)], data: '0x' };
    case 'ERC1155': {
      const operator = topicOf(pick);
      if (random(2) === 0) {
        const data = concatHex([word(id), word(amount)]);
        return { address, topics: [TRANSFER_SINGLE_TOPIC, operator, from, to], data };
      }
      // Now and then of unequal length, which is no transfer.
      const amounts = Array.from({ length: random(8) === 0 ? 1 : 2 }, () => amount);
      const data = encodeAbiParameters(parseAbiParameters('uint256[], uint256[]'), [[id, 7n], amounts]);
      return { address, topics: [TRANSFER_BATCH_TOPIC, operator, from, to], data };
    }
  }
}

/** Calls within a transaction that failed have failed, too. */
function frameOf(
  { from, to, value, status, contractAddress, gasUsed }: RawTransaction,
  random: Random,
  pick: PickAccount,
  isLawful: boolean,
) {
  // Who pays for no more than a transfer calls nobody.
  const callers = isLawful && gasUsed === TRANSFER_GAS ? 0 : random(4);
  const calls = Array.from({ length: callers }, () => {
    const type = oneOf(random, CALL_TYPES);
    if (!isLawful) return { type, from: pick(), to: pick(), value: numberToHex(makeAmount(random)) };
    const to = type === 'CREATE' ? addressFor(FIRST_CREATED + random(1_000)) : pick();
    return { type, from: tokenContract(0), to, value: numberToHex(makeAffordable(random)) };
  });
  return {
    type: to === null ? 'CREATE' : 'CALL',
    from,
    to: to ?? contractAddress,
    value: numberToHex(value ?? 0n),
    calls,
    ...(status === 0 ? { error: 'execution reverted' } : {}),
  };
}

/** The block with a hash of another chain, and its parent, too. */
function rebrand({ block, receipts }: RawBlock, isParentOther: boolean): RawBlock {
  const other = (hash: unknown): Hash => `0xff${String(hash).slice(4)}`;
  const hash = other(block.hash);
  const parentHash = isParentOther ? other(block.parentHash) : block.parentHash;
  return {
    block: {
      ...block,
      hash,
      parentHash,
      transactions: block.transactions.map((tx) => ({ ...tx, blockHash: hash })),
    },
    receipts: receipts.map((receipt) => ({
      ...receipt,
      blockHash: hash,
      logs: receipt.logs.map((log) => ({ ...log, blockHash: hash })),
    })),
  };
}

function topicOf(pick: PickAccount): Hash {
  return padHex(pick(), { size: 32 });
}

function word(value: bigint): Hash {
  return padHex(numberToHex(value), { size: 32 });
}
