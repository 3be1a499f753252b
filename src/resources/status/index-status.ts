import { parseEvmChainName } from '../../platform/database/chains.js';
import type { MeasuredFacet } from '../../indexes/evm/facets/measured-facet.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import { lagSeconds } from '../../indexes/overview/index-overview.js';
import type { ProgressRecord } from '../../indexes/engine/progress/index-progress.repository.js';
import type { BlockTime } from './block-times.repository.js';
import type { IndexStatus } from './status.js';

/** Messages repeat what nodes say. */
const MAX_MESSAGE_LENGTH = 500;

export function cutShort(message: string): string {
  return message.slice(0, MAX_MESSAGE_LENGTH);
}

export interface MeasuredChain {
  readonly chain: EvmChain;
  readonly facets: readonly MeasuredFacet[];
}

export interface IndexFacts {
  readonly progress: readonly ProgressRecord[];
  readonly blockTimes: readonly BlockTime[];
  readonly chains: readonly MeasuredChain[];
  readonly nowMs: number;
}

/** By network and chain, those of the primary network first; what fills in a chain stands behind what follows its tip. */
export function describeIndexes(facts: IndexFacts): IndexStatus[] {
  return facts.progress.map((record) => describe(record, facts)).sort(inOrder);
}

function inOrder(a: IndexStatus, b: IndexStatus): number {
  return (
    compare(a.network, b.network) ||
    Number(isEvm(a)) - Number(isEvm(b)) ||
    compare(a.chain, b.chain) ||
    compare(a.facet ?? '', b.facet ?? '')
  );
}

const isEvm = ({ chain }: IndexStatus): boolean => parseEvmChainName(chain) !== undefined;
const compare = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

function describe(record: ProgressRecord, facts: IndexFacts): IndexStatus {
  const { network, chain, state, height, tip, blocksPerSecond, secondsLeft, message } = record;
  const evm = parseEvmChainName(chain);
  const of = facts.chains.find(
    (each) => each.chain.network === network && each.chain.chainId === evm?.chainId,
  );
  const facet = of?.facets.find(({ name }) => name === evm?.facet);
  const lag = lagOf(record, facts);
  return {
    network,
    chain: evm === undefined ? chain : `evm-${evm.chainId}`,
    ...(of === undefined ? {} : { chainName: of.chain.name }),
    ...(evm?.facet === undefined ? {} : { facet: evm.facet }),
    state,
    ...(height === null ? {} : { height }),
    ...(tip === null ? {} : { tip }),
    ...(facet === undefined ? progressTo(height, tip) : progressOf(facet)),
    blocksPerSecond,
    ...(secondsLeft === null ? {} : { secondsLeft }),
    ...(lag === undefined ? {} : { lagSeconds: lag }),
    ...(message === null ? {} : { message: cutShort(message) }),
    silentSeconds: secondsSince(record.updatedAt.getTime(), facts.nowMs),
  };
}

type Progress = Pick<IndexStatus, 'percentage' | 'blocksLeft'>;

function progressTo(height: string | null, tip: string | null): Progress {
  if (height === null || tip === null) return {};
  const left = BigInt(tip) - BigInt(height);
  return toProgress(BigInt(height) + 1n, left > 0n ? left : 0n);
}

/** A facet is filled in from above, so that its height says little. */
function progressOf({ complete, missing, unavailable }: MeasuredFacet): Progress {
  return toProgress(complete, missing + unavailable);
}

/** 100 only where nothing is left. */
function toProgress(done: bigint, left: bigint): Progress {
  const total = done + left;
  const percentage = total === 0n ? {} : { percentage: Number((done * 1_000n) / total) / 10 };
  return { ...percentage, blocksLeft: left.toString() };
}

/** Of what follows a chain's tip. */
function lagOf({ network, chain, tip, updatedAt }: ProgressRecord, { blockTimes, nowMs }: IndexFacts) {
  const block = blockTimes.find((each) => each.network === network && each.chain === chain);
  if (block === undefined || tip === null) return undefined;
  const index = { ...block, tip: BigInt(tip), heardAt: updatedAt.getTime() / 1_000 };
  return Math.round(lagSeconds(index, nowMs / 1_000));
}

function secondsSince(timeMs: number, nowMs: number): number {
  return Math.max(0, Math.round((nowMs - timeMs) / 1_000));
}
