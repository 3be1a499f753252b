import type { AccountChange, AccountHistory } from '../../avalanche/evm/history/account-history.js';
import {
  type AccountAt,
  readAccountStates,
  stateQueries,
} from '../../avalanche/evm/history/account-state.js';
import { type Remainder, remainderOf } from '../../avalanche/evm/history/block-effects.js';
import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import type { BlockWithMovements } from '../../avalanche/evm/transfers/movement-reader.js';
import type { ExportNode } from '../rows/export-node.js';
import type { RangeSearch } from './range-search.js';

/** The part of an account's change that the block does not record. */
interface AccountRemainder extends Remainder {
  readonly address: Address;
}

export interface ExplainedBlock extends BlockWithMovements {
  /** None of those that are explained wholly. */
  readonly remainders: readonly AccountRemainder[];
  /** Accounts that paid without a signature, or raised their nonce without one, as only code does. */
  readonly contracts: readonly Address[];
}

interface Context {
  /** Whether the allocations of the chain's genesis are known. */
  readonly knowsGenesis: boolean;
  readonly node: ExportNode;
  readonly search: RangeSearch;
  readonly histories: readonly AccountHistory[];
  /** Of which no movement may be missing only because their balance stays the same. */
  readonly contracts: ReadonlySet<Address>;
  readonly avaxAssetId: string | undefined;
}

/**
 * Blocks with their movements, each compared with the accounts' changes. Only where these differ are its calls traced: public nodes have no
 * tracer, and archives take a second for a trace.
 *
 * Throws as the node and the search.
 */
export async function explainBlocks(heights: readonly bigint[], context: Context): Promise<ExplainedBlock[]> {
  const { node, contracts } = context;
  const blocks = await node.blocksAt(heights);
  const plain = await node.movementsOf(blocks, 'off');
  const explained = await explainEach(plain, context);
  const doubtful = explained.filter(({ remainders }) => contracts.size > 0 || remainders.length > 0);
  if (doubtful.length === 0) return explained;
  const traced = await node.movementsOf(
    doubtful.map(({ block }) => block),
    'auto',
  );
  const again = new Map((await explainEach(traced, context)).map((block) => [block.block.height, block]));
  await assertAgreed([...again.values()], context);
  return explained.map((block) => ({
    ...(again.get(block.block.height) ?? block),
    contracts: block.contracts,
  }));
}

/** An unexplained change may be the lie of one node. */
async function assertAgreed(blocks: readonly ExplainedBlock[], { search }: Context): Promise<void> {
  const places = blocks.flatMap(({ block: { height }, remainders }) =>
    remainders.flatMap(({ address }) => placesAround(address, height)),
  );
  await search.assertAgreed(stateQueries(places.filter(({ height }) => height >= 0n)));
}

async function explainEach(
  blocks: readonly BlockWithMovements[],
  context: Context,
): Promise<ExplainedBlock[]> {
  const { histories, search } = context;
  // Amounts that came and went again between two heights that were compared, where another account has led to them.
  const unseen = blocks.flatMap((block) =>
    histories
      .filter((history) => changeIn(history, block) === undefined)
      .filter(({ address }) => !isNothing(remainder(address, unchanged(block), block, context)))
      .map(({ address }) => ({ address, height: block.block.height })),
  );
  const states = await readAccountStates(
    unseen.flatMap(({ address, height }) => placesAround(address, height)),
    (queries) => search.read(queries, { isPatient: true }),
  );
  const changes = new Map<string, AccountChange>();
  for (const [index, { address, height }] of unseen.entries()) {
    const [before, after] = states.slice(2 * index);
    if (before !== undefined && after !== undefined) {
      changes.set(`${address} ${height}`, { height, before, after });
    }
  }
  return blocks.map((block) => {
    const remainders = histories.flatMap((history): AccountRemainder[] => {
      const { address } = history;
      const change =
        changeIn(history, block) ?? changes.get(`${address} ${block.block.height}`) ?? unchanged(block);
      const left = remainder(address, change, block, context);
      return isNothing(left) ? [] : [{ address, ...left }];
    });
    return { ...block, remainders, contracts: remainders.filter(isOfCode).map(({ address }) => address) };
  });
}

/** Before a block and after it. */
function placesAround(address: Address, height: bigint): AccountAt[] {
  return [
    { address, height: height - 1n },
    { address, height },
  ];
}

function remainder(
  address: Address,
  change: AccountChange,
  block: BlockWithMovements,
  { avaxAssetId, knowsGenesis }: Context,
): Remainder {
  if (change.height === 0n && !knowsGenesis) return { balance: 0n, nonce: 0n };
  return remainderOf(address, change, block, avaxAssetId);
}

function changeIn({ changes }: AccountHistory, { block }: BlockWithMovements): AccountChange | undefined {
  return changes.find(({ height }) => height === block.height);
}

function unchanged({ block: { height } }: BlockWithMovements): AccountChange {
  const nothing = { nonce: 0n, balance: 0n };
  return { height, before: nothing, after: nothing };
}

function isNothing({ balance, nonce }: Remainder): boolean {
  return balance === 0n && nonce === 0n;
}

function isOfCode({ balance, nonce }: Remainder): boolean {
  return balance < 0n || nonce !== 0n;
}
