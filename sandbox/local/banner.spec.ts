import { describe, expect, it } from '@jest/globals';
import { makeBanner, type BannerFacts } from './banner.js';
import { parseOptions } from './embedded-options.js';

const child = {
  pid: 1,
  exited: new Promise<never>(() => undefined),
  describeExit: () => '',
  stop: () => Promise.resolve(),
};

const facts = (env: NodeJS.ProcessEnv = {}): BannerFacts => ({
  options: parseOptions(env, '/project'),
  apiUrl: 'http://127.0.0.1:3001',
  postgres: {
    ...child,
    url: 'postgres://nds:secret@127.0.0.1:5432/nds',
    port: 5432,
    passwordFile: '/project/.data/postgres/password',
    dataFolder: '/project/.data/postgres/data',
    kill: () => Promise.resolve(),
    removeData: () => undefined,
  },
  temporal: undefined,
  sandbox: { ...child, url: 'http://127.0.0.1:9650', port: 9650 },
  examples: {
    message: '00ff',
    export: { chainId: '43112', addresses: ['0xab'], firstDate: '2026-11-01', lastDate: '2026-11-02' },
    sender: '0xcd',
    nft: { chainId: '43112', collection: '0xef', tokenId: '7' },
  },
});

describe(makeBanner.name, () => {
  it('calls the sandbox a sandbox', () => {
    expect(makeBanner(facts())).toMatch(
      /fuji, mainnet +SANDBOX: simulated validators at http:\/\/127.0.0.1:9650/,
    );
  });

  it('names the network that has a node, and shows its requests', () => {
    const banner = makeBanner({ ...facts({ MAINNET_NODE_URL: 'https://node' }), sandbox: undefined });
    expect(banner).toMatch(/mainnet +the configured node, and the validators\n/);
    expect(banner).toContain('/v1/networks/mainnet/validators');
    expect(banner).toContain('/v1/signatureAggregator/mainnet/aggregateSignatures');
    expect(banner).not.toContain('fuji');
  });

  it('names the networks that have no node, and no others', () => {
    const banner = makeBanner(facts({ NETWORKS: 'mainnet' }));
    expect(banner).toMatch(/mainnet +the validators, without a node\n/);
    expect(banner).not.toMatch(/fuji +the/);
  });

  it('shows a request for the P-chain at the address of the API', () => {
    expect(makeBanner(facts())).toContain("curl -sS 'http://127.0.0.1:3001/v1/networks/fuji/validators");
  });

  it('shows a request for an export that has rows', () => {
    expect(makeBanner(facts())).toContain(
      `-d '{"type":"TRANSACTION_EXPORT_EVM","firstDate":"2026-11-01","lastDate":"2026-11-02",` +
        `"options":{"addresses":["0xab"],"includeChains":["43112"]}}'`,
    );
  });

  it('shows a request for messages and for an NFT that are there', () => {
    const banner = makeBanner(facts());
    expect(banner).toContain('curl -sS http://127.0.0.1:3001/v1/icm/addresses/0xcd/messages');
    expect(banner).toContain('/v1/chains/43112/nfts/collections/0xef/tokens/7');
  });

  it('names the ports that were stepped over', () => {
    expect(makeBanner(facts())).toContain('Some ports were busy: API on 3001 instead of 3000.');
    expect(makeBanner(facts({ PORT: '0' }))).not.toContain('ports were busy');
  });

  it('does not show the password, but the file that holds it', () => {
    const banner = makeBanner(facts());
    expect(banner).not.toContain('secret');
    expect(banner).toContain('password in /project/.data/postgres/password');
  });

  it('explains that there is no request to show', () => {
    const banner = makeBanner({ ...facts(), examples: undefined });
    expect(banner).toContain('no node has answered yet');
    expect(banner).not.toMatch(/transactions:export|icm|nfts/);
  });
});
