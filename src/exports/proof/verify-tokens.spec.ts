import { describe, expect, it } from '@jest/globals';
import type { StandardRow } from '../rows/standard-row.js';
import type { ProofAccount, ProofChain, ProofContent, ProofToken } from './export-proof.js';
import { compareTokens, TokenRows } from './verify-tokens.js';

const ACCOUNT = `0x${'aa'.repeat(20)}` as const;
const TOKEN = `0x${'bb'.repeat(20)}` as const;
const OTHER = `0x${'cc'.repeat(20)}` as const;

const CHAIN: ProofChain = {
  chainId: '43114',
  blockchainId: '',
  name: 'C-Chain',
  blocks: null,
  decoders: {},
  nodes: [],
  accounts: [],
};

describe('comparing tokens with their rows', () => {
  it('names what rows do not explain, and takes only other rows for a fault', () => {
    const rows = [
      row({ kind: 'ERC20', from: OTHER, to: ACCOUNT, rawAmount: '70' }),
      row({ kind: 'ERC20', from: ACCOUNT, to: OTHER, rawAmount: '20' }),
    ];
    expect(compare({ rows: '50', opening: '5', closing: '55' }, rows)).toEqual({
      problems: [],
      compared: [
        `${ACCOUNT} on C-Chain (43114): the rows of 1 tokens add up to the changes of their balances`,
      ],
    });
    expect(compare({ rows: '50', opening: '5', closing: '54' }, rows).compared).toEqual([
      expect.stringContaining(`token ${TOKEN}: its rows add up to 50, its balance has changed by 49`),
    ]);
    expect(compare({ rows: '50', opening: null, closing: '54' }, rows).compared).toEqual([
      expect.stringContaining('the proof has no balances'),
    ]);
    expect(compare({ rows: '51', opening: '5', closing: '56' }, rows).problems).toEqual([
      expect.stringContaining('its rows add up to 50, those of the proof to 51'),
    ]);
  });

  it('counts the coins that a contract wraps', () => {
    const rows = [
      row({ kind: 'NATIVE', contract: '', from: ACCOUNT, to: TOKEN, rawAmount: '100' }),
      row({ kind: 'ERC20', from: ACCOUNT, to: OTHER, rawAmount: '30' }),
      row({ kind: 'INTERNAL', contract: '', from: TOKEN, to: ACCOUNT, rawAmount: '60' }),
    ];
    expect(compare({ rows: '-30', opening: '0', closing: '10' }, rows)).toEqual({
      problems: [],
      compared: [expect.stringContaining('with the coins that it wraps, its rows add up to 10')],
    });
  });

  it('counts ids of ERC-1155 by themselves, and those of ERC-721 together', () => {
    const one = row({ kind: 'ERC1155', from: OTHER, to: ACCOUNT, tokenId: '1', rawAmount: '3' });
    const two = row({ kind: 'ERC1155', from: OTHER, to: ACCOUNT, tokenId: '2', rawAmount: '4' });
    expect(compare({ tokenId: '2', rows: '4', opening: '0', closing: '4' }, [one, two]).problems).toEqual([]);
    const nfts = ['7', '8'].map((tokenId) =>
      row({ kind: 'ERC721', from: ACCOUNT, to: OTHER, tokenId, rawAmount: '1' }),
    );
    expect(compare({ rows: '-2', opening: '2', closing: '0' }, nfts).problems).toEqual([]);
  });
});

function compare(part: Partial<ProofToken>, rows: readonly StandardRow[]) {
  const token: ProofToken = {
    contract: TOKEN,
    tokenId: null,
    rows: '0',
    opening: '0',
    closing: '0',
    ...part,
  };
  const account: ProofAccount = {
    address: ACCOUNT,
    rule: 'signed',
    opening: null,
    closing: null,
    changes: 0,
    unnamed: 0,
    tokens: [token],
  };
  const chain: ProofChain = { ...CHAIN, accounts: [account] };
  const request = { addresses: [ACCOUNT] } as unknown as ProofContent['request'];
  const tokenRows = new TokenRows({ request, chains: [chain] });
  for (const each of rows) tokenRows.add(each);
  const found = { problems: [] as string[], compared: [] as string[] };
  compareTokens(chain, account, tokenRows, found);
  return found;
}

function row(part: Partial<StandardRow>): StandardRow {
  return {
    chainId: '43114',
    chainName: 'C-Chain',
    height: '1',
    dateTime: '',
    txHash: '',
    direction: '',
    kind: '',
    from: '',
    to: '',
    contract: TOKEN,
    symbol: '',
    decimals: '',
    tokenId: '',
    rawAmount: '0',
    ...part,
  };
}
