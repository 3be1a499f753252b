import { beforeEach, describe, expect, it } from '@jest/globals';
import { TURNS_PER_GATEWAY, TURNS_PER_HOST } from '../../src/platform/public-http/host-turns.js';
import { Config } from '../../src/platform/config/config.module.js';
import { parseEnv } from '../../src/platform/config/env.schema.js';
import {
  type FetchedMetadata,
  MetadataFetcher,
} from '../../src/resources/nft-tokens/metadata/metadata-fetcher.js';
import { MetadataServer } from '../support/evm/metadata-server.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { eventually } from '../support/harness/eventually.js';

const CID = `b${'a'.repeat(58)}`;
const OTHER_CID = `b${'b'.repeat(58)}`;
const FOUND = { status: 'indexed', metadata: { name: 'found' } };

describe(MetadataFetcher.name, () => {
  let first: MetadataServer;
  let second: MetadataServer;
  let stranger: MetadataServer;
  let fetcher: MetadataFetcher;

  beforeEach(async () => {
    [first, second, stranger] = await Promise.all([
      MetadataServer.start(),
      MetadataServer.start(),
      MetadataServer.start(),
    ]);
    const servers = [first, second, stranger];
    onCleanup(() => servers.forEach((server) => server.stop()));
    const env = parseEnv({
      DATABASE_URL: 'postgres://unused',
      NFT_TRUSTED_HOSTS: servers.map(({ name }) => name).join(','),
      NFT_IPFS_GATEWAYS: [first, second].map((server) => server.url('/ipfs/')).join(','),
    });
    fetcher = new MetadataFetcher(new Config(env));
  });

  const fetchUri = (uri: string): Promise<FetchedMetadata> =>
    fetcher.fetch({ uri, ercType: 'ERC-721', tokenId: 1n, signal: new AbortController().signal });

  it('asks a second gateway as well when the first one lets it wait, and leaves the first when it has an answer', async () => {
    fetcher.hedgeAfterMs = 1;
    let isLeft = false;
    first.handlers.set(`/ipfs/${CID}/1`, (response) => response.on('close', () => (isLeft = true)));
    // Of two that are asked a moment apart the second may be the first to hear of it.
    second.handlers.set(
      `/ipfs/${CID}/1`,
      (response) =>
        void eventually('the first one is asked', () => first.asked.length > 0).then(() =>
          response.end('{"name":"found"}'),
        ),
    );
    expect(await fetchUri(`ipfs://${CID}/1`)).toEqual(FOUND);
    expect(first.asked).toEqual([`/ipfs/${CID}/1`]);
    await eventually('the first one is left', () => isLeft);
  });

  it('asks the second gateway at once when the first one fails, and only then', async () => {
    fetcher.hedgeAfterMs = 60_000;
    first.serve(`/ipfs/${CID}/1`, { name: 'found' });
    expect(await fetchUri(`ipfs://${CID}/1`)).toEqual(FOUND);
    expect(second.asked).toEqual([]);
    second.serve(`/ipfs/${CID}/2`, { name: 'found' });
    expect(await fetchUri(`ipfs://${CID}/2`)).toEqual(FOUND);
  });

  it('does not ask gateways again for content that they have not found in time, under any path', async () => {
    for (const gateway of [first, second]) gateway.serve(`/ipfs/${CID}/1`, '', {}, 504);
    expect(await fetchUri(`ipfs://${CID}/1`)).toMatchObject({ status: 'unreachable_token_uri' });
    for (const gateway of [first, second]) gateway.serve(`/ipfs/${CID}/2`, { name: 'found' });
    expect(await fetchUri(`ipfs://${CID}/2`)).toEqual({ status: 'unreachable_token_uri' });
    expect([...first.asked, ...second.asked]).toEqual([`/ipfs/${CID}/1`, `/ipfs/${CID}/1`]);
    // Of other content, and of another host, without meaning.
    first.serve(`/ipfs/${OTHER_CID}/1`, { name: 'found' });
    expect(await fetchUri(`ipfs://${OTHER_CID}/1`)).toEqual(FOUND);
    stranger.serve(`/ipfs/${CID}/3`, { name: 'found' });
    expect(await fetchUri(stranger.url(`/ipfs/${CID}/3`))).toEqual(FOUND);
  });

  it('asks gateways again for content of which one of them only lacks a file', async () => {
    expect(await fetchUri(`ipfs://${CID}/missing`)).toMatchObject({ status: 'unreachable_token_uri' });
    first.serve(`/ipfs/${CID}/1`, { name: 'found' });
    expect(await fetchUri(`ipfs://${CID}/1`)).toEqual(FOUND);
  });

  it('does not hold it against content that another host is slow', async () => {
    stranger.serve(`/ipfs/${CID}/1`, '', {}, 504);
    await fetchUri(stranger.url(`/ipfs/${CID}/1`));
    first.serve(`/ipfs/${CID}/1`, { name: 'found' });
    expect(await fetchUri(`ipfs://${CID}/1`)).toEqual(FOUND);
  });

  it('asks a gateway for more at a time than a host that a contract names', async () => {
    fetcher.hedgeAfterMs = 60_000;
    const count = TURNS_PER_GATEWAY + 4;
    const atOnce = async (server: MetadataServer, most: number, uriOf: (path: number) => string) => {
      const answers: (() => void)[] = [];
      for (let path = 0; path < count; path += 1) {
        const serve = (name: string) =>
          server.handlers.set(name, (response) => answers.push(() => response.end('{"name":"found"}')));
        serve(`/ipfs/${CID}/${path}`);
        serve(`/${path}`);
      }
      const all = Promise.all(Array.from({ length: count }, (_, path) => fetchUri(uriOf(path))));
      await eventually('as many as may are asked', () => answers.length === most);
      for (let answered = 0; answered < count; answered += 1) {
        await eventually('there is one to answer', () => answers.length > 0);
        answers.shift()?.();
      }
      expect(await all).toEqual(Array.from({ length: count }, () => FOUND));
      expect(server.mostAtOnce).toBe(most);
    };
    await atOnce(first, TURNS_PER_GATEWAY, (path) => `ipfs://${CID}/${path}`);
    await atOnce(stranger, TURNS_PER_HOST, (path) => stranger.url(`/${path}`));
  });
});
