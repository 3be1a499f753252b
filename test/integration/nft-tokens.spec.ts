import { beforeAll, describe, expect, it } from '@jest/globals';
import { getAddress } from 'viem/utils';
import type { Address, Hex } from '../../src/avalanche/evm/rpc/hex-values.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import { eventually } from '../support/harness/eventually.js';
import { type ContractAnswers, contractOf } from '../../sandbox/generated/contract.js';
import { generateEvmChain } from '../../sandbox/generated/evm-chain-generator.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { startEvmChain } from '../support/evm/evm-index.js';
import { MetadataServer } from '../support/evm/metadata-server.js';
import { type ApiAnswer, TestService } from '../support/harness/service.js';
import { openDatabase } from '../support/harness/database.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { startTemporalForTest } from '../support/harness/services.js';

const CHAIN_ID = 43113n;
const HEIGHT = 100;
const BLOCKCHAIN_ID = '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC';
const UNKNOWN_BLOCKCHAIN_ID = '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm';
const ERC721: Address = `0x${'7a'.repeat(20)}`;
const ERC1155: Address = `0x${'1c'.repeat(20)}`;
const OLD_721: Address = `0x${'0b'.repeat(20)}`;
const ERC721_INTERFACES: readonly Hex[] = ['0x01ffc9a7', '0x80ac58cd', '0x5b5e139f'];
const ERC1155_INTERFACES: readonly Hex[] = ['0x01ffc9a7', '0xd9b67a26', '0x0e89341c'];
const NO_NFT: Address = `0x${'0e'.repeat(20)}`;
const OWNER: Address = `0x${'ab'.repeat(20)}`;
const CID = `b${'a'.repeat(58)}`;
const IMAGE = Buffer.alloc(22_500_000).toString('base64'); // 30 MB as text

interface Shown {
  readonly metadata: { readonly indexStatus: string } & Record<string, unknown>;
  readonly [field: string]: unknown;
}

describe('GET /v1/chains/{chainId}/nfts/collections/{address}/tokens/{tokenId}', () => {
  let node: Sandbox;
  /** Blocks of the calls. */
  const calledAt = new Set<unknown>();
  let host: MetadataServer;
  /** Listens where nobody may be sent to. */
  let forbidden: MetadataServer;
  let busy: MetadataServer;
  let service: TestService;
  let temporal: Awaited<ReturnType<typeof startTemporalForTest>>;
  const uris = new Map<bigint, string | Buffer>();
  const owners = new Map<bigint, Address>();
  let lastTokenId = 1_000n;

  beforeAll(async () => {
    [node, host, forbidden, busy] = await Promise.all([
      startEvmChain(generateEvmChain({ blocks: HEIGHT + 1, transactions: 0 }), {
        chainId: CHAIN_ID,
        blockchainId: BLOCKCHAIN_ID,
      }),
      MetadataServer.start(),
      MetadataServer.start(),
      MetadataServer.start(),
    ]);
    onCleanup(() => [host, forbidden, busy].forEach((server) => server.stop()));
    const tokenURI = (tokenId: bigint) => uris.get(tokenId);
    const ownerOf = (tokenId: bigint) => owners.get(tokenId);
    const deploy = (address: Address, answers: ContractAnswers): void => {
      const answer = contractOf(answers);
      node.cChain.contracts.set(address, (data, block) => {
        calledAt.add(block);
        return answer(data, block);
      });
    };
    deploy(ERC721, {
      interfaces: ERC721_INTERFACES,
      name: 'Collected Works',
      symbol: 'WORK',
      ownerOf,
      tokenURI,
    });
    deploy(OLD_721, { ownerOf, tokenURI });
    deploy(ERC1155, { interfaces: ERC1155_INTERFACES, uri: tokenURI });
    deploy(NO_NFT, { name: 'Money', symbol: 'M' });
    temporal = await startTemporalForTest();
    service = await TestService.start({
      nodeUrl: 'http://127.0.0.1:9', // nobody
      temporalAddress: temporal.address,
      env: {
        WORKER_QUEUES: 'nfts',
        EVM_CHAINS_FILE: writeEvmChainsFile([{ chainId: CHAIN_ID, rpcUrls: [node.cChainUrl] }]),
        NFT_TRUSTED_HOSTS: `${host.name},${busy.name}`,
        NFT_IPFS_GATEWAYS: `${host.url('/down/ipfs')},${host.url('/ipfs/')}`,
        NFT_ARWEAVE_GATEWAYS: host.url('/arweave'),
        NFT_TOKEN_MAX_AGE_SECONDS: '0',
        NODE_TIMEOUT_MS: '60000',
        LOG_LEVEL: 'warn',
      },
    });
  });

  const get = (address: string, tokenId: bigint | string, chainId: bigint | string = CHAIN_ID) =>
    service.request(`/v1/chains/${chainId}/nfts/collections/${address}/tokens/${tokenId}`);

  const shownAtOnce = async (...token: Parameters<typeof get>): Promise<Shown> => {
    const { status, body } = await get(...token);
    expect({ status, body }).toMatchObject({ status: 200 });
    return body as Shown;
  };

  /** Once it has been looked up, for which a busy machine may need more than one request has. */
  const shown = async (...token: Parameters<typeof get>): Promise<Shown> => {
    for (;;) {
      const found = await shownAtOnce(...token);
      if (found.metadata.indexStatus !== 'unindexed') return found;
    }
  };

  /** A new token with this URI. */
  const mint = (uri: string | Buffer | undefined, owner: Address | undefined = OWNER): bigint => {
    lastTokenId += 1n;
    if (uri !== undefined) uris.set(lastTokenId, uri);
    if (owner !== undefined) owners.set(lastTokenId, owner);
    return lastTokenId;
  };

  const statusOf = async (uri: string | Buffer): Promise<string> =>
    (await shown(ERC721, mint(uri))).metadata.indexStatus;

  const eventuallyStatus = (tokenId: bigint, status: string) =>
    eventually(
      `${status} of token ${tokenId}`,
      async () => (await shownAtOnce(ERC721, tokenId)).metadata.indexStatus === status,
    );

  it('shows an ERC-721 token with everything of contract and metadata', async () => {
    host.serve('/whole.json', {
      name: 'First Work',
      symbol: 'W1',
      description: 'of many',
      image: 'ipfs://image',
      animation_url: 'https://example.org/film.mp4',
      external_url: 'https://example.org/1',
      background_color: '00ff00',
      attributes: [{ trait_type: 'Size', value: 3 }],
    });
    const tokenId = mint(host.url('/whole.json'));
    const before = node.batches;
    let requests = 0;
    let answer: ApiAnswer | undefined;
    await eventually('it is looked up', async () => {
      requests += 1;
      answer = await get(ERC721.toUpperCase().replace('0X', '0x'), tokenId);
      return !JSON.stringify(answer.body).includes('unindexed');
    });
    expect(answer).toEqual({
      status: 200,
      contentType: 'application/json; charset=utf-8',
      body: {
        address: getAddress(ERC721),
        name: 'Collected Works',
        symbol: 'WORK',
        ercType: 'ERC-721',
        tokenId: tokenId.toString(),
        tokenUri: host.url('/whole.json'),
        ownerAddress: getAddress(OWNER),
        metadata: {
          indexStatus: 'indexed',
          metadataLastUpdatedTimestamp: expect.any(Number),
          name: 'First Work',
          symbol: 'W1',
          imageUri: 'ipfs://image',
          description: 'of many',
          animationUri: 'https://example.org/film.mp4',
          externalUrl: 'https://example.org/1',
          background: '00ff00',
          attributes: '[{"trait_type":"Size","value":3}]',
        },
      },
    });
    // By each request and by its workflow, as nothing is recent enough here.
    expect(node.batches - before).toBeLessThanOrEqual(2 * requests);
  });

  it('shows an ERC-1155 token without owner and with its properties, found by the id in its URI', async () => {
    const tokenId = mint(host.url('/{id}.json'));
    const id = tokenId.toString(16).padStart(64, '0');
    host.serve(`/${id}.json`, { name: 'Token {id}', decimals: 2, properties: { a: 1 }, attributes: [] });
    expect(await shown(ERC1155, tokenId)).toEqual({
      address: getAddress(ERC1155),
      ercType: 'ERC-1155',
      tokenId: tokenId.toString(),
      tokenUri: host.url('/{id}.json'),
      metadata: {
        indexStatus: 'indexed',
        metadataLastUpdatedTimestamp: expect.any(Number),
        name: `Token ${id}`,
        decimals: 2,
        properties: '{"a":1}',
      },
    });
  });

  it('finds a chain by its blockchain id, and an ERC-721 contract that is older than ERC-165', async () => {
    const tokenId = mint('data:application/json,{"name":"old"}');
    const token = await shown(OLD_721, tokenId, BLOCKCHAIN_ID);
    expect(token).toMatchObject({ ercType: 'ERC-721', name: '', symbol: '', metadata: { name: 'old' } });
  });

  it('asks everything of a token at one block', async () => {
    calledAt.clear();
    await shown(ERC721, mint('data:,{}'));
    expect([...calledAt]).toEqual([HEIGHT]);
  });

  it('fills the id into the URI of an ERC-721 token, too', async () => {
    const tokenId = mint(host.url('/works/{id}'));
    host.serve(`/works/${tokenId.toString(16).padStart(64, '0')}`, { name: 'filled in' });
    expect(await shown(ERC721, tokenId)).toMatchObject({ metadata: { name: 'filled in' } });
  });

  it('goes from gateway to gateway for what is on IPFS and Arweave', async () => {
    host.serve(`/ipfs/${CID}/1.json`, { name: 'on IPFS' });
    host.serve(`/arweave/${'x'.repeat(43)}`, { name: 'on Arweave' });
    for (const uri of [`ipfs://${CID}/1.json`, `ipfs://ipfs/${CID}/1.json`, `${CID}/1.json`]) {
      expect(await shown(ERC721, mint(uri))).toMatchObject({ metadata: { name: 'on IPFS' } });
    }
    expect(host.asked).toContain(`/down/ipfs/${CID}/1.json`);
    expect(await shown(ERC721, mint(`ar://${'x'.repeat(43)}`))).toMatchObject({
      metadata: { name: 'on Arweave' },
    });
  });

  it('keeps metadata that is in the URI nowhere else', async () => {
    const tokenId = mint('data:,{"name":"in the URI"}');
    expect(await shown(ERC721, tokenId)).toMatchObject({ metadata: { name: 'in the URI' } });
    const database = await openDatabase(service.databaseUrl);
    const sql = 'SELECT index_status, metadata FROM nft_tokens WHERE token_id = $1';
    expect(await database.query(sql, [tokenId.toString()])).toEqual([
      { index_status: 'indexed', metadata: null },
    ]);
  });

  it('shows an image that the metadata draws itself', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    host.serve('/drawn.json', { image_data: svg });
    const { metadata } = await shown(ERC721, mint(host.url('/drawn.json')));
    expect(metadata['imageUri']).toBe(`data:image/svg+xml;utf8,${encodeURIComponent(svg)}`);
  });

  describe('when there is no metadata', () => {
    const data = (json: string): string =>
      `data:application/json;base64,${Buffer.from(json).toString('base64')}`;

    it.each<[string, string, () => string | Buffer]>([
      ['indexed', 'metadata in the URI', () => data('{"name":"x"}')],
      ['invalid_token_uri', 'a URI without any sense', () => 'not a URI'],
      ['invalid_token_uri', 'an empty URI', () => ''],
      ['invalid_token_uri', 'a URI that is no UTF-8', () => Buffer.from([0x68, 0xff, 0xfe])],
      ['invalid_token_uri', 'a URI with a user', () => `http://me:secret@localhost/x.json`],
      ['invalid_token_uri', 'a URI with a port of its own', () => `http://127.0.0.1:${forbidden.port}/`],
      ['invalid_token_uri', 'a way out of a gateway', () => `ipfs://${CID}/../../admin`],
      ['invalid_token_uri_scheme', 'another scheme', () => 'ftp://localhost/x.json'],
      ['invalid_token_uri_scheme', 'a script', () => 'javascript:alert(1)'],
      ['unreachable_token_uri', 'a loopback address', () => 'http://127.0.0.1/x.json'],
      ['unreachable_token_uri', 'a loopback address in other words', () => 'http://0x7f.1/x.json'],
      ['unreachable_token_uri', 'a loopback address of IPv6', () => 'http://[::ffff:127.0.0.1]/x.json'],
      ['unreachable_token_uri', 'the metadata service of a cloud', () => 'http://169.254.169.254/latest/'],
      ['unreachable_token_uri', 'nothing there', () => host.url('/nothing-there')],
      ['invalid_metadata_json', 'no JSON', () => data('<html>')],
      ['invalid_metadata_json', 'JSON that is no UTF-8', () => 'data:,{"name":"%ff"}'],
      ['invalid_metadata', 'a list', () => data('[]')],
      ['invalid_metadata', 'too deep a nesting', () => data(`{"a":${'['.repeat(9999)}${']'.repeat(9999)}}`)],
    ])('answers %s: %s', async (status, _, uri) => {
      expect(await statusOf(uri())).toBe(status);
    });

    it('answers unreachable_token_uri for a redirect to a loopback address', async () => {
      host.redirect('/away', `http://127.0.0.1:${forbidden.port}/`);
      host.redirect('/away-by-default-port', 'http://127.0.0.1/');
      expect(await statusOf(host.url('/away'))).toBe('unreachable_token_uri');
      expect(await statusOf(host.url('/away-by-default-port'))).toBe('unreachable_token_uri');
    });

    it('answers unreachable_token_uri for endless redirects, and follows a few', async () => {
      host.redirect('/round', host.url('/round'));
      host.redirect('/one', '/two');
      host.redirect('/two', '/three');
      host.redirect('/three', '/four');
      host.serve('/four', {});
      expect(await statusOf(host.url('/round'))).toBe('unreachable_token_uri');
      expect(await statusOf(host.url('/one'))).toBe('indexed');
      const rounds = (): number => host.asked.filter((path) => path === '/round').length;
      await eventually('four at a time', () => rounds() > 0 && rounds() % 4 === 0);
    });

    it('answers metadata_content_too_large for an endless body, a zip bomb, and 30 MB of image in the metadata', async () => {
      host.serveEndless('/endless');
      host.serveBomb('/bomb');
      host.serve('/image.json', { image: `data:image/png;base64,${IMAGE}` });
      for (const path of ['/endless', '/bomb', '/image.json']) {
        await eventuallyStatus(mint(host.url(path)), 'metadata_content_too_large');
      }
    });

    it('answers missing_token for a URI of a token that nobody owns', async () => {
      const tokenId = mint(host.url('/unowned.json'), `0x${'00'.repeat(20)}`);
      const { metadata, ...token } = await shown(ERC721, tokenId);
      expect(metadata).toEqual({ indexStatus: 'missing_token' });
      expect(token).not.toHaveProperty('ownerAddress');
      expect(host.asked).not.toContain('/unowned.json');
      expect(await shown(ERC1155, mint(undefined))).toMatchObject({
        tokenUri: '',
        metadata: { indexStatus: 'missing_token' },
      });
    });

    it('answers throttled_token_uri, and leaves the host alone for as long as it asks, also for other tokens', async () => {
      busy.serve('/1.json', '', { 'retry-after': '20' }, 429);
      busy.serve('/2.json', {});
      const first = mint(busy.url('/1.json'));
      expect(await shown(ERC721, first)).toMatchObject({ metadata: { indexStatus: 'throttled_token_uri' } });
      expect(await statusOf(busy.url('/2.json'))).toBe('throttled_token_uri');
      expect(busy.asked).toEqual(['/1.json']);
      busy.serve('/1.json', {});
      await eventuallyStatus(first, 'indexed');
    });

    it('answers metadata_content_too_large for 30 MB in the URI', async () => {
      const tokenId = mint(`data:application/json;base64,${IMAGE}`);
      // On a busy machine the node, which is in this process, may take too long for so much.
      await eventually('an answer of its node', async () => (await get(ERC721, tokenId)).status !== 503);
      const { tokenUri, metadata } = await shown(ERC721, tokenId);
      expect({ tokenUri, metadata }).toEqual({
        tokenUri: '',
        metadata: { indexStatus: 'metadata_content_too_large' },
      });
      // The time that this process takes to serialise it again is not to be measured by the next test.
      uris.set(tokenId, '');
    });

    it('answers unindexed when it takes too long, and shows the metadata to a later request', async () => {
      let finish = (): void => undefined;
      host.handlers.set('/slow', (response) => (finish = () => response.end('{"name":"slow"}')));
      const tokenId = mint(host.url('/slow'));
      expect(await shownAtOnce(ERC721, tokenId)).toMatchObject({
        name: 'Collected Works',
        ownerAddress: getAddress(OWNER),
        metadata: { indexStatus: 'unindexed' },
      });
      host.serve('/slow', { name: 'slow' }); // for who comes later
      finish();
      await eventuallyStatus(tokenId, 'indexed');
    });
  });

  it('never asks a host that it must not ask', () => {
    expect(forbidden.asked).toEqual([]);
  });

  it('answers at once from what is on record, and brings it up to date behind that', async () => {
    const tokenId = mint('data:,{"name":"before"}');
    expect(await shown(ERC721, tokenId)).toMatchObject({ metadata: { name: 'before' } });
    const buyer: Address = `0x${'cd'.repeat(20)}`;
    owners.set(tokenId, buyer);
    uris.set(tokenId, 'data:,{"name":"after"}');
    expect(await shownAtOnce(ERC721, tokenId)).toMatchObject({
      ownerAddress: getAddress(OWNER),
      metadata: { name: 'before' },
    });
    await eventually('the new owner and metadata', async () => {
      const { ownerAddress, metadata } = await shown(ERC721, tokenId);
      return ownerAddress === getAddress(buyer) && metadata['name'] === 'after';
    });
  });

  it('reads an owner that is old before it answers, or reports how old it is', async () => {
    const tokenId = mint('data:,{"name":"kept"}');
    await shown(ERC721, tokenId);
    const buyer: Address = `0x${'ce'.repeat(20)}`;
    owners.set(tokenId, buyer);
    const database = await openDatabase(service.databaseUrl);
    const grow = () =>
      database.query('UPDATE nft_tokens SET read_at = read_at - 300, read_height = 1 WHERE token_id = $1', [
        tokenId.toString(),
      ]);
    const url = `${service.url}/v1/chains/${CHAIN_ID}/nfts/collections/${ERC721}/tokens/${tokenId}`;
    // It waits for a second; what is read behind that is old again by the next request.
    await eventually('it is read before the answer', async () => {
      await grow();
      const recent = await fetch(url);
      const { ownerAddress } = (await recent.json()) as Shown;
      const age = Date.now() / 1_000 - Number(recent.headers.get('x-read-time'));
      const isRead = recent.headers.get('x-read-height') === `${HEIGHT}` && age < 60;
      return isRead && ownerAddress === getAddress(buyer);
    });
    // As old as it is while no node answers.
    node.setNodeBehaviour({ failEvery: 1 });
    owners.set(tokenId, OWNER);
    let old: Response | undefined;
    await eventually('what is behind earlier answers is over', async () => {
      await grow();
      old = await fetch(url);
      return old.headers.get('x-read-height') === '1';
    });
    expect(await old?.json()).toMatchObject({ ownerAddress: getAddress(buyer), metadata: { name: 'kept' } });
    expect(Date.now() / 1_000 - Number(old?.headers.get('x-read-time'))).toBeGreaterThanOrEqual(300);
    node.setNodeBehaviour({});
  });

  it('answers 404 for a token that has been burnt, once it knows, and shows it again after a new mint', async () => {
    const tokenId = mint('data:,{}');
    await shown(ERC721, tokenId);
    owners.delete(tokenId);
    uris.delete(tokenId);
    await eventually('404', async () => (await get(ERC721, tokenId)).status === 404);
    owners.set(tokenId, OWNER);
    uris.set(tokenId, 'data:,{}');
    await eventually('the token again', async () => (await get(ERC721, tokenId)).status === 200);
  });

  it('joins equal requests in one look-up', async () => {
    host.serve('/once.json', {});
    const tokenId = mint(host.url('/once.json'));
    await Promise.all(Array.from({ length: 10 }, () => shownAtOnce(ERC721, tokenId)));
    // Who comes when it is over has it brought up to date.
    expect(host.asked.filter((path) => path === '/once.json').length).toBeLessThan(5);
    await eventuallyStatus(tokenId, 'indexed');
  });

  it.each([
    ['a chain that is not configured', 404, ERC721, '1', '4242'],
    ['a blockchain that is not configured', 404, ERC721, '1', UNKNOWN_BLOCKCHAIN_ID],
    ['a chain id of other letters', 404, ERC721, '1', 'nonsense'],
    ['a contract that is not there', 404, `0x${'99'.repeat(20)}`, '1', '43113'],
    ['a contract that is none of NFTs', 404, NO_NFT, '1', '43113'],
    ['a token that does not exist', 404, ERC721, '999999', '43113'],
    ['a malformed address', 400, '0x1234', '1', '43113'],
    ['an address with a wrong checksum', 400, getAddress(OWNER).replace(/[A-F]/, 'a'), '1', '43113'],
    ['a token id that is no number', 400, ERC721, 'abc', '43113'],
    ['a negative token id', 400, ERC721, '-1', '43113'],
    ['a token id beyond 256 bits', 400, ERC721, (2n ** 256n).toString(), '43113'],
  ])('refuses %s with %d', async (_, status, address, tokenId, chainId) => {
    expect(await get(address, tokenId, chainId)).toMatchObject({
      status,
      contentType: 'application/json; charset=utf-8',
      body: { statusCode: status, message: expect.any(String), error: expect.any(String) },
    });
  });

  it('shows the largest token id', async () => {
    const tokenId = 2n ** 256n - 1n;
    owners.set(tokenId, OWNER);
    uris.set(tokenId, 'data:,{}');
    expect(await shown(ERC721, tokenId)).toMatchObject({ tokenId: tokenId.toString() });
  });

  it('answers 502 or 503 while no node answers, shows what it knows, and answers unknown when it cannot find out', async () => {
    const known = mint('data:,{"name":"known"}');
    await shown(ERC721, known);
    node.setNodeBehaviour({ failEvery: 1 });
    const answer = await get(ERC721, mint('data:,{}'));
    expect([502, 503]).toContain(answer.status);
    expect(await shown(ERC721, known)).toMatchObject({ metadata: { name: 'known' } });
    await eventuallyStatus(known, 'unknown');
    expect(await shown(ERC721, known)).toMatchObject({ metadata: { name: 'known' } });
    node.setNodeBehaviour({});
    await eventually('a new look-up', async () => {
      owners.set(known, `0x${'ef'.repeat(20)}`);
      const { ownerAddress } = await shown(ERC721, known);
      return ownerAddress === getAddress(`0x${'ef'.repeat(20)}`);
    });
  });

  it('stands in the OpenAPI document', async () => {
    const path = '/v1/chains/{chainId}/nfts/collections/{address}/tokens/{tokenId}';
    expect((await service.request('/openapi.json')).body).toMatchObject({
      paths: {
        [path]: {
          get: {
            parameters: ['chainId', 'address', 'tokenId'].map((name) => ({
              name,
              in: 'path',
              required: true,
              schema: { type: 'string', example: expect.any(String) },
            })),
          },
        },
      },
    });
  });

  it('shows what is on record while Temporal is away, and answers 503 for a token that is new', async () => {
    const known = mint('data:,{"name":"known"}');
    await shown(ERC721, known);
    const unknown = mint('data:,{"name":"new"}');
    await temporal.stop();
    expect(await shown(ERC721, known)).toMatchObject({ metadata: { name: 'known' } });
    expect((await get(ERC721, unknown)).status).toBe(503);
    await temporal.start();
    await eventually('the new token', async () => (await get(ERC721, unknown)).status === 200);
    await eventuallyStatus(unknown, 'indexed');
  });
});
