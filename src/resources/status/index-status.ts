import { greatest } from '../../avalanche/bigints.js';
import { parseEvmChainName } from '../../platform/database/chains.js';
import type { ReportedIndex } from '../../indexes/overview/index-overview.js';
import type { MeasuredChain, MeasuredFacet } from '../../indexes/overview/measured-chains.js';
import type { IndexStatusResponse } from './dto/status.response.js';

/** Messages repeat what nodes report. */
const MAX_MESSAGE_LENGTH = 500;

export function cutShort(message: string): string {
  return message.slice(0, MAX_MESSAGE_LENGTH);
}

/** By network and chain, those of the primary network first; what fills in a chain stands behind what follows its tip. */
export function describeIndexes(
  indexes: readonly ReportedIndex[],
  chains: readonly MeasuredChain[],
): IndexStatusResponse[] {
  return indexes.map((index) => describe(index, chains)).sort(inOrder);
}

function inOrder(a: IndexStatusResponse, b: IndexStatusResponse): number {
  return (
    compare(a.network, b.network) ||
    Number(isEvm(a)) - Number(isEvm(b)) ||
    compare(a.chain, b.chain) ||
    compare(a.facet ?? '', b.facet ?? '')
  );
}

const isEvm = ({ chain }: IndexStatusResponse): boolean => parseEvmChainName(chain) !== undefined;
const compare = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

function describe(index: ReportedIndex, chains: readonly MeasuredChain[]): IndexStatusResponse {
  const { network, chain, position, silentSeconds } = index;
  const { updatedAt: _updatedAt, message, ...report } = index.report;
  const evm = parseEvmChainName(chain);
  const of = chains.find((each) => each.chain.network === network && each.chain.chainId === evm?.chainId);
  const facet = of?.facets.find(({ name }) => name === evm?.facet);
  return {
    network,
    chain: evm === undefined ? chain : `evm-${evm.chainId}`,
    chainName: of?.chain.name,
    facet: evm?.facet,
    ...report,
    ...(facet === undefined ? progressTo(report) : progressOf(facet)),
    ...('lagSeconds' in position ? { lagSeconds: Math.round(position.lagSeconds) } : {}),
    message: message === undefined ? undefined : cutShort(message),
    silentSeconds: Math.round(silentSeconds),
  };
}

type Progress = Pick<IndexStatusResponse, 'percentage' | 'blocksLeft'>;

function progressTo({ height, tip }: Pick<IndexStatusResponse, 'height' | 'tip'>): Progress {
  if (height === undefined || tip === undefined) return {};
  const left = BigInt(tip) - BigInt(height);
  return toProgress(BigInt(height) + 1n, greatest(left, 0n));
}

/** A facet is filled in from above, so that its height means little. */
function progressOf({ complete, missing, unavailable }: MeasuredFacet): Progress {
  return toProgress(complete, missing + unavailable);
}

/** 100 only where nothing is left. */
function toProgress(done: bigint, left: bigint): Progress {
  const total = done + left;
  const percentage = total === 0n ? {} : { percentage: Number((done * 1_000n) / total) / 10 };
  return { ...percentage, blocksLeft: left.toString() };
}
