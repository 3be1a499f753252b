import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getAddress } from 'viem/utils';
import { z } from 'zod';
import { ZERO_ADDRESS } from '../../src/avalanche/evm/rpc/hex-values.js';
import { defaultCChainRecording, defaultL1Recording } from '../../sandbox/evm-chains/default-recordings.js';
import type { EvmRecording, RecordedMessage } from '../../sandbox/recording/evm-recording.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { eventually } from '../support/harness/eventually.js';
import { TestService } from '../support/harness/service.js';

const recordings: readonly EvmRecording[] = [defaultCChainRecording(), defaultL1Recording()];
const messages = recordings.flatMap((recording) => recording.messages);
const nfts = recordings.flatMap(({ chainId, blockchainId, nfts: tokens }) =>
  tokens.map((token) => ({ chainId: Number(chainId).toString(), blockchainId, ...token })),
);
const chainIds = new Map(recordings.map(({ blockchainId, chainId }) => [blockchainId, BigInt(chainId)]));

/** Metadata of a token that can be expected, and the service's answer. */
const INDEX_STATUS: Readonly<Record<string, string>> = {
  'metadata in base64': 'indexed',
  'metadata as it is, with an id to be filled in': 'indexed',
  'metadata that came later': 'indexed',
  'metadata of what was burnt': 'missing_token',
  'no URI at all': 'missing_token',
  'an empty URI': 'invalid_token_uri',
  'a data URI without data': 'invalid_token_uri',
  'a port that nobody is asked at': 'invalid_token_uri',
  'a URI with an unknown scheme': 'invalid_token_uri_scheme',
  'a URI on this very machine': 'unreachable_token_uri',
  'a URI of a private network': 'unreachable_token_uri',
  'a URI of a metadata service': 'unreachable_token_uri',
  'more than a megabyte of metadata': 'metadata_content_too_large',
  'no JSON in its URI': 'invalid_metadata_json',
  'a list instead of metadata': 'invalid_metadata',
  'metadata nested too deeply': 'invalid_metadata',
};

const pathOf = ({
  chainId,
  collection,
  tokenId,
}: Pick<(typeof nfts)[number], 'chainId' | 'collection' | 'tokenId'>) =>
  `/v1/chains/${chainId}/nfts/collections/${collection}/tokens/${tokenId}`;

/** Outcomes of messages from each of the two chains to the other. */
const STATES = [
  'sent',
  'sent, fee raised',
  'sent, delivered, executed, receipt delivered',
  'sent, fee raised, delivered, executed, receipt delivered',
  'sent, delivered, failed, receipt delivered',
  'sent, sent again, delivered, executed, receipt delivered',
  'sent, delivered, failed, executed, receipt delivered',
];

const NO_TRANSACTIONS = { sourceTransaction: undefined, destinationTransaction: undefined };

const MessagesSchema = z.object({
  nextPageToken: z.string().optional(),
  messages: z.array(z.looseObject({ messageId: z.string() })),
});
const NftSchema = z.looseObject({ metadata: z.looseObject({ indexStatus: z.string() }) });
const HealthSchema = z.object({
  details: z.object({
    fuji: z.object({ index: z.record(z.string(), z.looseObject({ state: z.string() })).default({}) }),
  }),
});

/** Expected answer of the service about a message, from the logs of its messengers alone. */
function expectedOf({ steps, ...message }: RecordedMessage): Record<string, unknown> {
  const first = (wanted: RecordedMessage['steps'][number]['what']) =>
    steps.find(({ what }) => what === wanted);
  const isFromIndexed = chainIds.has(message.sourceBlockchainId);
  const delivered = first('delivered');
  const sent = isFromIndexed ? first('sent') : undefined;
  const fee = isFromIndexed ? steps.findLast((step) => step.fee !== undefined)?.fee : '0';
  return {
    messageNonce: message.nonce,
    from: getAddress(message.from),
    to: getAddress(message.to),
    data: message.data,
    sourceBlockchainId: message.sourceBlockchainId,
    destinationBlockchainId: message.destinationBlockchainId,
    sourceEvmChainId: (chainIds.get(message.sourceBlockchainId) ?? 0n).toString(),
    destinationEvmChainId: (chainIds.get(message.destinationBlockchainId) ?? 0n).toString(),
    messageExecuted: first('executed') !== undefined,
    receiptDelivered: isFromIndexed && first('receipt delivered') !== undefined,
    receipts: message.receipts.map((receivedMessageNonce) =>
      expect.objectContaining({ receivedMessageNonce }),
    ),
    rewardDetails: expect.objectContaining(
      fee === '0' ? { value: '0', address: ZERO_ADDRESS } : { value: fee, name: 'Fee', symbol: 'FEE' },
    ),
    sourceTransaction: sent && expect.objectContaining({ txHash: sent.txHash }),
    destinationTransaction: delivered && expect.objectContaining({ txHash: delivered.txHash }),
    status: statusOf({ isFromIndexed, isDelivered: delivered !== undefined }),
  };
}

function statusOf({ isFromIndexed, isDelivered }: { isFromIndexed: boolean; isDelivered: boolean }): string {
  if (!isFromIndexed) return 'delivered_source_not_indexed';
  return isDelivered ? 'delivered' : 'pending';
}

/** With the chains that are configured for everybody who starts the service without a node. */
describe("the sandbox's two chains", () => {
  let sandbox: Sandbox;
  let service: TestService;

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 1, blockIntervalMs: 0 });
    service = await TestService.start({
      nodeUrl: sandbox.url,
      env: {
        SANDBOX_NETWORKS: 'fuji',
        EVM_CHAINS_FILE: 'config/evm-chains.json',
        LOG_LEVEL: 'warn',
      },
    });
  });

  afterAll(async () => {
    await sandbox.stop();
  });

  const read = async (path: string): Promise<unknown> => {
    const { status, body } = await service.request(path);
    expect({ status, body }).toMatchObject({ status: 200 });
    return body;
  };

  const listMessages = async (address: string) => {
    const listed: z.infer<typeof MessagesSchema>['messages'] = [];
    let token: string | undefined;
    do {
      const page = token === undefined ? '' : `&pageToken=${token}`;
      const body = MessagesSchema.parse(
        await read(`/v1/icm/addresses/${address}/messages?network=fuji&pageSize=7${page}`),
      );
      listed.push(...body.messages);
      token = body.nextPageToken;
    } while (token !== undefined);
    return listed;
  };

  it('are the configured ones, each known by its blockchain id', async () => {
    await eventually('both are indexed', async () => {
      const { details } = HealthSchema.parse((await service.request('/v1/health-check')).body);
      const states = recordings.map(({ chainId }) => details.fuji.index[`evm-${Number(chainId)}`]?.state);
      return states.every((state) => state === 'running');
    });
  });

  it('have every message with status, fee, receipts and retries by its steps', async () => {
    const senders = [...new Set(messages.map(({ from }) => from))];
    const expected = messages.map((message) => [message.messageId.slice(2), expectedOf(message)] as const);
    const compare = async (): Promise<void> => {
      const lists = await Promise.all(senders.map(listMessages));
      const found = new Map(lists.flat().map((message) => [message.messageId, message]));
      expect(found.size).toBe(expected.length);
      for (const [id, message] of expected) {
        expect({ ...NO_TRANSACTIONS, ...found.get(id) }).toMatchObject({ messageId: id, ...message });
      }
    };
    await eventually('all is indexed', () => succeeds(compare)).catch(() => undefined);
    await compare();
  });

  it('have messages in every state, in both directions', () => {
    for (const { blockchainId, messages: own } of recordings) {
      const sentHere = own.filter(({ sourceBlockchainId }) => sourceBlockchainId === blockchainId);
      const states = sentHere.map(({ steps }) => steps.map(({ what }) => what).join(', '));
      expect(states).toEqual(expect.arrayContaining(STATES));
      expect(own.length).toBeGreaterThan(sentHere.length);
    }
  });

  const statusOfToken = async (path: string) => NftSchema.parse(await read(path)).metadata.indexStatus;

  it.each(Object.entries(INDEX_STATUS))('have NFTs with %s, which are %s', async (what, status) => {
    const paths = nfts.filter((nft) => nft.what === what).map(pathOf);
    expect(paths.length).toBeGreaterThanOrEqual(recordings.length);
    for (const path of paths) {
      await eventually('it was looked for', async () => (await statusOfToken(path)) !== 'unindexed');
      expect({ path, status: await statusOfToken(path) }).toEqual({ path, status });
    }
  });

  it('do not show an NFT of which nothing is left', async () => {
    const paths = nfts.filter(({ what }) => !(what in INDEX_STATUS)).map(pathOf);
    expect(paths).toHaveLength(recordings.length);
    for (const path of paths) expect(await service.request(path)).toMatchObject({ status: 404 });
  });

  it('show the metadata, with the id filled in, also under their blockchain ids', async () => {
    const [nft] = nfts.filter(({ what }) => what.endsWith('to be filled in'));
    if (nft === undefined) throw new Error('no such token');
    const id = BigInt(nft.tokenId).toString(16).padStart(64, '0');
    expect(await read(pathOf({ ...nft, chainId: nft.blockchainId }))).toMatchObject({
      ercType: 'ERC-721',
      name: 'Gallery',
      metadata: { name: `Work ${id}` },
    });
  });
});

function succeeds(work: () => Promise<unknown>): Promise<boolean> {
  return work().then(
    () => true,
    () => false,
  );
}
