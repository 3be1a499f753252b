import type { AccountChange, AccountHistory } from '../../avalanche/evm/history/account-history.js';
import { type Remainder, remainderOf } from '../../avalanche/evm/history/block-effects.js';
import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import type { BlockWithMovements } from '../../avalanche/evm/transfers/movement-reader.js';
import type { ExportNode } from '../rows/export-node.js';
import type { RangeSearch } from './range-search.js';

/** Of one account, what a block changed and does not tell. */
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
  /** Whether it can be told with what the chain begins. */
  readonly knowsGenesis: boolean;
  readonly node: ExportNode;
  readonly search: RangeSearch;
  readonly histories: readonly AccountHistory[];
  /** Of which no movement may be missing only because their balance stays the same. */
  readonly contracts: ReadonlySet<Address>;
  readonly avaxAssetId: string | undefined;
}

/**
 * Blocks with their movements, each held against what it changed of the accounts. Only where that is more or less than the block tells
 * are its calls traced: a trace is what public nodes do not have, and what archives take a second for.
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
  return explained.map((block) => ({
    ...(again.get(block.block.height) ?? block),
    contracts: block.contracts,
  }));
}

async function explainEach(
  blocks: readonly BlockWithMovements[],
  context: Context,
): Promise<ExplainedBlock[]> {
  const explained: ExplainedBlock[] = [];
  for (const block of blocks) {
    const remainders: AccountRemainder[] = [];
    for (const history of context.histories) {
      const remainder = await explain(history, block, context);
      if (remainder.balance !== 0n || remainder.nonce !== 0n) {
        remainders.push({ address: history.address, ...remainder });
      }
    }
    const contracts = remainders.filter(isOfCode).map(({ address }) => address);
    explained.push({ ...block, remainders, contracts });
  }
  return explained;
}

async function explain(
  history: AccountHistory,
  block: BlockWithMovements,
  { search, avaxAssetId, knowsGenesis }: Context,
): Promise<Remainder> {
  const { address } = history;
  const { height } = block.block;
  if (height === 0n && !knowsGenesis) return { balance: 0n, nonce: 0n };
  const found = history.changes.find((change) => change.height === height);
  if (found !== undefined) return remainderOf(address, found, block, avaxAssetId);
  const nothing = { nonce: 0n, balance: 0n };
  const unchanged = remainderOf(address, { height, before: nothing, after: nothing }, block, avaxAssetId);
  if (unchanged.balance === 0n && unchanged.nonce === 0n) return unchanged;
  // What came and went again between two heights that were compared, and another account has led to it.
  return remainderOf(address, await changeAt(address, height, search), block, avaxAssetId);
}

async function changeAt(address: Address, height: bigint, search: RangeSearch): Promise<AccountChange> {
  const [nonce = 0n, balance = 0n, nonceAfter = 0n, balanceAfter = 0n] = await search.read(
    [height - 1n, height].flatMap((at) => [
      { address, field: 'nonce' as const, height: at },
      { address, field: 'balance' as const, height: at },
    ]),
  );
  return {
    height,
    before: { nonce, balance },
    after: { nonce: nonceAfter, balance: balanceAfter },
  };
}

function isOfCode({ balance, nonce }: Remainder): boolean {
  return balance < 0n || nonce !== 0n;
}
