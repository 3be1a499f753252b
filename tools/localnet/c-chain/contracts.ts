import { encodeDeployData, parseEther } from 'viem/utils';
import type { Address, Hex } from '../../../src/avalanche/evm/rpc/hex-values.js';
import {
  AlwaysReverts,
  Bytes32Erc20,
  Erc1155,
  Erc20,
  Erc721,
  FailingCreation,
  FakeTransfers,
  HugeSymbolErc20,
  RevertingErc20,
  Splitter,
  Vault,
} from '../contracts/artifacts.js';
import type { CChainScenario } from './context.js';

export interface Tokens {
  readonly coin: Address;
  readonly cents: Address;
  readonly works: Address;
  readonly items: Address;
}

export interface OddContracts {
  readonly oddTokens: readonly Address[];
  readonly huge: Address;
  readonly bytes32: Address;
  readonly reverting: Address;
  readonly fakes: Address;
}

export interface ValueContracts {
  readonly splitter: Address;
  readonly secondSplitter: Address;
  readonly vault: Address;
  readonly emptyVault: Address;
  readonly refuser: Address;
}

/** Names and symbols that a spreadsheet, a CSV file or a database may take for something else. */
const ODD_TEXTS: readonly (readonly [name: string, symbol: string])[] = [
  ['=HYPERLINK("http://x","y")', '=HYPERLINK("http://x","y")'],
  ['Said "no", twice\r\nand left', 'a"b,c\r\nd'],
  [' +1 ', '@SUM(A1:A9)'],
  ['Zero\u0000Width\u200b Right\u202eto left', '-2+3\u0000'],
  ['\u{1f43b}'.repeat(200), '\u{1f43b}'.repeat(100)],
  ['', ''],
];

export async function deployTokens({ wallet, accounts: { carol: from } }: CChainScenario): Promise<Tokens> {
  const [coin, cents, works, items] = await Promise.all([
    wallet.deploy({ from, data: erc20('Plain Coin', 'PLAIN', 18) }),
    wallet.deploy({ from, data: erc20('Whole Cents', 'CENT', 2) }),
    wallet.deploy({ from, data: Erc721.bytecode }),
    wallet.deploy({ from, data: Erc1155.bytecode }),
  ]);
  return { coin, cents, works, items };
}

export async function deployOdd({ wallet, accounts }: CChainScenario): Promise<OddContracts> {
  const { carol: from } = accounts;
  const [oddTokens, huge, bytes32, reverting, fakes] = await Promise.all([
    Promise.all(
      ODD_TEXTS.map(([name, symbol], decimals) =>
        wallet.deploy({ from, data: erc20(name, symbol, decimals) }),
      ),
    ),
    wallet.deploy({ from, data: HugeSymbolErc20.bytecode }),
    wallet.deploy({ from, data: Bytes32Erc20.bytecode }),
    wallet.deploy({ from, data: RevertingErc20.bytecode }),
    wallet.deploy({ from, data: FakeTransfers.bytecode }),
  ]);
  return { oddTokens, huge, bytes32, reverting, fakes };
}

/** With value and without; one fails, and its value stays where it was. */
export async function deployValueFlows({ wallet, accounts }: CChainScenario): Promise<ValueContracts> {
  const { carol: from } = accounts;
  const [splitter, secondSplitter, vault, emptyVault, refuser] = await Promise.all([
    wallet.deploy({ from, data: Splitter.bytecode }),
    wallet.deploy({ from, data: Splitter.bytecode }),
    wallet.deploy({ from, data: Vault.bytecode, value: 7n }),
    wallet.deploy({ from, data: Vault.bytecode, type: 'legacy' }),
    wallet.deploy({ from, data: AlwaysReverts.bytecode }),
    wallet.run({ from, data: FailingCreation.bytecode, value: parseEther('1'), fails: true }),
  ]);
  return { splitter, secondSplitter, vault, emptyVault, refuser };
}

function erc20(name: string, symbol: string, decimals: number): Hex {
  return encodeDeployData({ abi: Erc20.abi, bytecode: Erc20.bytecode, args: [name, symbol, decimals] });
}
