import { RecordedEvmBlockSchema } from '../../../sandbox/recording/evm-recording.js';
import {
  expectCsvRowsOf,
  expectMovements,
  type ExpectedMovement,
  type ExpectedToken,
} from '../../support/evm/c-chain-second-implementation.js';
import { TOKEN_CONTRACTS } from '../../../sandbox/generated/evm-chain-generator.js';
import type { ExportWish } from '../load/exports.js';
import { dayOf, type MadeChain, type MadeChains } from '../topology/made-chains.js';

const NATIVE: ExpectedToken = { symbol: 'AVAX', name: null, decimals: 18 };
/** As the nodes' contracts report it. */
const TOKENS: ReadonlyMap<string, ExpectedToken> = new Map(
  TOKEN_CONTRACTS.map((contract, index) => [
    contract,
    { name: `Token ${index}`, symbol: `TK${index}`, decimals: index * 3 },
  ]),
);

/** Movements on the made-up chains, as an independent implementation reads them from their blocks. */
export class Truth {
  private readonly movements = new Map<string, readonly ExpectedMovement[]>();

  constructor(private readonly chains: MadeChains) {}

  movementsOf({ chain, blocks }: MadeChain, height: number): readonly ExpectedMovement[] {
    const key = `${chain.chainId} ${height}`;
    const known = this.movements.get(key);
    if (known !== undefined) return known;
    const movements = expectMovements(RecordedEvmBlockSchema.parse(blocks[height]));
    this.movements.set(key, movements);
    return movements;
  }

  /** The rows of an export's file, in any order. */
  rowsOf(wish: ExportWish): string[] {
    return wish.chains.flatMap((name) => this.linesOf(wish, name));
  }

  private linesOf({ addresses, firstDate, lastDate }: ExportWish, which: keyof MadeChains): string[] {
    const made = this.chains[which];
    const { chain, name: chainName, blocks } = made;
    const lines: string[] = [];
    for (let height = 0; height < blocks.length && dayOf(height) <= lastDate; height += 1) {
      if (dayOf(height) < firstDate) continue;
      const file = { chainId: chain.chainId, chainName, native: NATIVE, tokens: TOKENS, addresses };
      const rows = expectCsvRowsOf(this.movementsOf(made, height), file);
      lines.push(...rows.map((row) => row.slice(0, -'\r\n'.length)));
    }
    return lines;
  }
}
