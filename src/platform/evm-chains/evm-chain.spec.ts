import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { type ChainSurroundings, parseEvmChains } from './evm-chain.js';

const chain = {
  network: 'fuji',
  chainId: '43113',
  blockchainId: 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp',
  name: 'Fuji C-Chain',
  rpcUrls: ['${NODE_URL}/ext/bc/C/rpc'],
  startHeight: '123',
  nativeSymbol: 'AVAX',
  nativeDecimals: 18,
};

const OTHER_BLOCKCHAIN = '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5';

const mainnet = { name: 'mainnet', nodeUrls: [], sandbox: false } as const;
const fuji = { name: 'fuji', nodeUrls: ['http://a:9650', 'https://b/'], sandbox: false } as const;
const surroundings: ChainSurroundings = { networks: [mainnet, fuji], env: {} };

const parse = (chains: unknown, changes: Partial<ChainSurroundings> = {}) =>
  parseEvmChains(JSON.stringify({ chains }), { ...surroundings, ...changes });
const urlsOf = (rpcUrls: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  parse([{ ...chain, rpcUrls }], { env }).flatMap((parsed) => parsed.rpcUrls);

describe(parseEvmChains.name, () => {
  it('reads chains in their order', () => {
    const other = {
      ...chain,
      chainId: '9',
      blockchainId: OTHER_BLOCKCHAIN,
      startHeight: 'tip',
      traces: 'off',
    };
    expect(parse([other, chain])).toMatchObject([
      { chainId: 9n, startHeight: 'tip', traces: 'off' },
      {
        network: 'fuji',
        chainId: 43113n,
        blockchainId: chain.blockchainId,
        name: 'Fuji C-Chain',
        rpcUrls: ['http://a:9650/ext/bc/C/rpc', 'https://b/ext/bc/C/rpc'],
        startHeight: 123n,
        nativeSymbol: 'AVAX',
        nativeDecimals: 18,
        traces: 'auto',
      },
    ]);
  });

  it('keeps all blocks of a chain, or those of some days', () => {
    const daysOf = (keepDays?: unknown) => parse([{ ...chain, keepDays }])[0]?.keepDays;
    expect(daysOf()).toBeUndefined();
    expect(daysOf(90)).toBe(90);
    for (const wrong of [0, 1.5, '90', 1e9]) expect(() => daysOf(wrong)).toThrow('keepDays');
  });

  it('signs messages on sight where that is wanted and the messages are indexed', () => {
    const signsOnSight = (settings: object) => parse([{ ...chain, ...settings }])[0]?.signOnSight;
    expect([signsOnSight({}), signsOnSight({ signOnSight: true })]).toEqual([undefined, true]);
    expect(signsOnSight({ signOnSight: false, watch: [] })).toBe(false);
    expect(() => signsOnSight({ signOnSight: true, watch: ['tokens'] })).toThrow(
      'chains.0.signOnSight: needs the messages of the chain to be indexed: add "messages" to watch',
    );
  });

  it('takes the configuration that is shipped', () => {
    const text = readFileSync('config/evm-chains.json', 'utf8');
    const nodes = ['http://127.0.0.1:9650'];
    const ids = (sandbox: boolean) =>
      parseEvmChains(text, {
        networks: [
          { ...mainnet, nodeUrls: nodes },
          { ...fuji, nodeUrls: nodes, sandbox },
        ],
        env: {},
      }).map(({ network, chainId }) => `${network} ${chainId}`);
    expect(ids(false)).toEqual(expect.arrayContaining(['mainnet 43114', 'fuji 43113']));
    expect(ids(true)).toContain('mainnet 43114');
    expect(ids(true)).not.toContain('fuji 43113');
  });

  describe('the URLs of nodes', () => {
    it('lets a URL name variables, whose several values make several URLs', () => {
      const env = { KEY: 'k', HOSTS: ' http://x/ , http://y,,' };
      expect(urlsOf(['http://one', '${HOSTS}/rpc/${KEY}?a=${KEY}'], env)).toEqual([
        'http://one',
        'http://x/rpc/k?a=k',
        'http://y/rpc/k?a=k',
      ]);
    });

    it('leaves out a URL whose variable is not set, and a chain that has none left', () => {
      expect(urlsOf(['${NOWHERE}/rpc', 'http://one'])).toEqual(['http://one']);
      expect(parse([{ ...chain, rpcUrls: ['${NOWHERE}/rpc'] }])).toEqual([]);
      expect(parse([{ ...chain, network: 'mainnet' }])).toEqual([]);
    });

    it('puts the nodes of the chain’s own network into a URL, not a variable of that name', () => {
      expect(urlsOf(['${NODE_URL}'], { NODE_URL: 'http://elsewhere' })).toEqual([
        'http://a:9650',
        'https://b',
      ]);
    });

    it('puts values into a URL as they are', () => {
      expect(urlsOf(['http://h/${KEY}'], { KEY: '$&-$1-${OTHER}' })).toEqual(['http://h/$&-$1-${OTHER}']);
    });
  });

  describe('with simulated networks', () => {
    const simulated = { ...fuji, sandbox: true };
    const networks = [mainnet, simulated];

    it('takes the chains of the sandbox instead of the real ones', () => {
      const chains = [chain, { ...chain, chainId: '7', network: 'sandbox' }];
      expect(parse(chains, { networks })).toMatchObject([{ chainId: 7n, network: 'fuji' }]);
      expect(parse(chains)).toMatchObject([{ chainId: 43113n, network: 'fuji' }]);
    });

    it('counts the sandbox as fuji when both networks are simulated', () => {
      const both = [{ ...mainnet, nodeUrls: ['http://m'], sandbox: true }, simulated];
      expect(parse([{ ...chain, network: 'sandbox' }], { networks: both })).toMatchObject([
        { network: 'fuji' },
      ]);
    });
  });

  it.each<[string, string, RegExp]>([
    ['no JSON', '{', /^not JSON$/],
    ['a list', '[]', /expected object/],
    ['other names', '{"chains":[],"x":1}', /Unrecognized key: "x"/],
  ])('refuses %s', (_name, text, problem) => {
    expect(() => parseEvmChains(text, surroundings)).toThrow(problem);
  });

  it.each<[string, object, RegExp]>([
    ['another network', { network: 'testnet' }, /^chains\.0\.network: /],
    ['a number as id', { chainId: 43113 }, /^chains\.0\.chainId: /],
    ['an id in hex', { chainId: '0xa869' }, /^chains\.0\.chainId: must be a whole number in decimal digits$/],
    ['id 0', { chainId: '0' }, /^chains\.0\.chainId: must be from 1 to 9007199254740991$/],
    ['an id beyond 2^53', { chainId: '9007199254740992' }, /^chains\.0\.chainId: must be from 1 to/],
    [
      'a bad blockchain id',
      { blockchainId: 'x' },
      /^chains\.0\.blockchainId: must be a blockchain id in cb58$/,
    ],
    ['no name', { name: '' }, /^chains\.0\.name: /],
    ['no URL', { rpcUrls: [] }, /^chains\.0\.rpcUrls: /],
    ['another protocol', { rpcUrls: ['ftp://x'] }, /^chain 43113: rpcUrls: must be URLs with http or https$/],
    ['no URL at all', { rpcUrls: ['x'] }, /^chain 43113: rpcUrls: must be URLs with http or https$/],
    ['a misspelt variable', { rpcUrls: ['http://x/${key}'] }, /^chains\.0\.rpcUrls\.0: names a variable/],
    ['too many URLs', { rpcUrls: Array.from({ length: 17 }, () => 'http://x') }, /^chains\.0\.rpcUrls: /],
    [
      'too many by their variables',
      { rpcUrls: Array.from({ length: 9 }, () => '${NODE_URL}') },
      /^chain 43113: rpcUrls: more than 16 URLs$/,
    ],
    ['a negative height', { startHeight: '-1' }, /^chains\.0\.startHeight: /],
    ['a height beyond 64 bits', { startHeight: '9223372036854775808' }, /^chains\.0\.startHeight: /],
    ['a formula as symbol', { nativeSymbol: '=1' }, /^chains\.0\.nativeSymbol: must be a symbol like AVAX$/],
    ['too many decimals', { nativeDecimals: 37 }, /^chains\.0\.nativeDecimals: /],
    ['an unknown property', { rpcUrl: 'x' }, /^chains\.0: Unrecognized key: "rpcUrl"$/],
  ])('refuses %s', (_name, changes, problem) => {
    expect(() => parse([{ ...chain, ...changes }])).toThrow(problem);
  });

  it('refuses a chain that stands in it twice', () => {
    expect(() => parse([chain, chain])).toThrow('a chain id stands in it twice for one network');
  });

  it('refuses two chains with one blockchain id', () => {
    expect(() => parse([chain, { ...chain, chainId: '5' }])).toThrow(
      'a blockchain id stands in it twice for one network',
    );
  });

  it('takes a chain of the same id on another network', () => {
    const networks = [{ ...mainnet, nodeUrls: ['http://m'] }, fuji];
    expect(parse([chain, { ...chain, network: 'mainnet' }], { networks })).toMatchObject([
      { network: 'fuji', chainId: 43113n },
      { network: 'mainnet', chainId: 43113n },
    ]);
  });
});
