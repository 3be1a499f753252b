import { beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { z } from 'zod';
import { bls } from '../../src/avalanche/bls/bls.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { readPChainRecording } from '../../sandbox/recording/p-chain-recording.js';
import { isRecord, ListApi, TOKEN_REFUSAL } from '../support/http/list-api.js';
import { amount, type Item, NETWORK, part, sum, validators } from '../support/http/validator-lists.js';
import { indexRecording } from '../support/p-chain/index-recording.js';
import { verifyProofOfPossession } from '../support/signatures/verify-proof-of-possession.js';

const OwnerSchema = z.object({ threshold: z.coerce.number(), addresses: z.array(z.string()) });
const L1ValidatorSchema = z.object({
  validationID: z.string(),
  nodeID: z.string(),
  subnetID: z.string(),
  weight: z.coerce.number(),
  balance: z.coerce.number(),
  startTime: z.coerce.number(),
  publicKey: z.string(),
  remainingBalanceOwner: OwnerSchema,
  deactivationOwner: OwnerSchema,
});
const StakerSchema = z.object({
  txID: z.string(),
  weight: z.coerce.bigint(),
  potentialReward: z.coerce.bigint(),
  delegatorCount: z.coerce.number(),
  delegatorWeight: z.coerce.bigint(),
});

const without = (item: Item, name: string): Item =>
  Object.fromEntries(Object.entries(item).filter(([key]) => key !== name));
const NOWHERE = 'ab'.repeat(32);

/** The oracle: answers of real nodes at the end of a recorded chain. */
describe.each(['p-chain-granite', 'p-chain-helicon', 'p-chain-validator-fees'])(
  'the lists of the P-chain over %s',
  (name) => {
    const recording = readPChainRecording(join(projectFolder(), `test/recordings/${name}.json.br`));
    const final = recording.answers.at(-1);
    let api: ListApi;
    let blockTime = 0;

    beforeAll(async () => {
      api = await ListApi.start();
      await indexRecording(recording, api.dataSource, async (replay, write) => {
        if (!replay.isUndecided) await write();
        blockTime = replay.state.tip.time;
      });
    });

    const refused = async (path: string, status: number, message: string): Promise<void> => {
      expect(await api.get(`${NETWORK}${path}`)).toMatchObject({
        status,
        contentType: 'application/json; charset=utf-8',
        body: { message, statusCode: status, error: status === 400 ? 'Bad Request' : 'Not Found' },
      });
    };
    const one = async (path: string): Promise<Item> => {
      const { status, body, text } = await api.get(`${NETWORK}${path}`);
      if (status !== 200 || !isRecord(body)) throw new Error(text);
      return body;
    };

    describe('of L1 validators', () => {
      const answered = z
        .array(L1ValidatorSchema)
        .parse(Object.values(final?.l1Validators ?? {}).filter((answer) => answer !== null));
      const listed = (query: Readonly<Record<string, string>>): Promise<Item[]> =>
        api.walk(`${NETWORK}/l1Validators`, 'validators', query, () => 2);
      const everything = (): Promise<Item[]> => listed({ includeInactiveL1Validators: 'true' });
      const bare = (addresses: readonly string[]): string[] =>
        addresses.map((text) => text.replace('P-', ''));

      it('has those that the node has, with their balances', async () => {
        const items = new Map((await everything()).map((item) => [item['validationId'], item]));
        for (const validator of answered) {
          const { validationID, remainingBalanceOwner, deactivationOwner } = validator;
          const item = items.get(validationID) ?? {};
          items.delete(validationID);
          expect(item).toMatchObject({
            nodeId: validator.nodeID,
            subnetId: validator.subnetID,
            weight: validator.weight,
            remainingBalance: validator.balance,
            creationTimestamp: validator.startTime,
            blsCredentials: { publicKey: validator.publicKey },
            remainingBalanceOwner: {
              addresses: bare(remainingBalanceOwner.addresses),
              threshold: remainingBalanceOwner.threshold,
            },
            deactivationOwner: {
              addresses: bare(deactivationOwner.addresses),
              threshold: deactivationOwner.threshold,
            },
          });
        }
        for (const removed of items.values()) {
          expect(removed).toMatchObject({ weight: 0, remainingBalance: 0 });
        }
        const { blockHeight } = await one('/l1Validators');
        expect(blockHeight).toBe(final?.height);
      });

      it('has only those with balance unless asked for all, newest first', async () => {
        const active = answered.filter(({ balance }) => balance > 0).map(({ validationID }) => validationID);
        const ids = (await listed({})).map(({ validationId }) => String(validationId));
        expect(ids.toSorted()).toEqual(active.toSorted());
        const starts = (await everything()).map(({ creationTimestamp }) => Number(creationTimestamp));
        expect(starts).toEqual(starts.toSorted((a, b) => b - a));
      });

      it('reports when balances are used up, and by which keys it signs', async () => {
        for (const item of await everything()) {
          const { publicKey, proofOfPossession } = part(item, 'blsCredentials');
          const key = bls.publicKeyFromBytes(fromHex(String(publicKey)));
          const proof = bls.signatureFromBytes(fromHex(String(proofOfPossession)));
          expect(verifyProofOfPossession(key, proof)).toBe(true);
          const balance = Number(item['remainingBalance']);
          // One nAVAX a second is the lowest price of a local network; that of the fees' recording has risen.
          const end = Number(item['balanceEndTimestamp'] ?? 0);
          if (name === 'p-chain-validator-fees') expect(end).toBeLessThanOrEqual(blockTime + balance);
          else expect(end).toBe(balance === 0 ? 0 : blockTime + balance);
        }
      });

      it('can be filtered by each id and by all of them', async () => {
        const all = await everything();
        const filters = [
          [['l1ValidationId', 'validationId']],
          [['l1ValidationId', 'validationIdHex']],
          [['nodeId', 'nodeId']],
          [['subnetId', 'subnetId']],
          [
            ['nodeId', 'nodeId'],
            ['subnetId', 'subnetId'],
            ['l1ValidationId', 'validationId'],
          ],
        ] as const;
        for (const item of all) {
          for (const filter of filters) {
            const query = Object.fromEntries(filter.map(([key, field]) => [key, String(item[field])]));
            const expected = all.filter((other) => filter.every(([, field]) => other[field] === item[field]));
            expect(await listed({ ...query, includeInactiveL1Validators: 'true' })).toEqual(expected);
          }
        }
        expect(await listed({ subnetId: NOWHERE })).toEqual([]);
      });

      it.each([
        ['pageSize=101', 'pageSize: must be a whole number from 1 to 100'],
        ['nodeId=NodeID-1', 'nodeId: must be a node id (NodeID-…)'],
        ['subnetId=x', 'subnetId: must be a 32-byte id, hex or cb58 encoded'],
        ['includeInactiveL1Validators=1', 'includeInactiveL1Validators: must be one of true, false'],
        ['sortOrder=asc', 'unknown query parameter sortOrder'],
        ['pageToken=x', TOKEN_REFUSAL],
      ])('answers 400 to %s', (query, message) => refused(`/l1Validators?${query}`, 400, message));
    });

    describe('of blockchains', () => {
      const listed = (sortOrder: string, pageSize = 2): Promise<Item[]> =>
        api.walk(`${NETWORK}/blockchains`, 'blockchains', { sortOrder }, () => pageSize);

      it('has those that the node has, the newest first or last', async () => {
        const items = await listed('desc');
        const shown = items.map(({ blockchainId, blockchainName, subnetId }) => [
          blockchainId,
          blockchainName,
          subnetId,
        ]);
        const { blockchains } = recording.final;
        expect(shown.toSorted()).toEqual(
          [
            [PRIMARY_NETWORK_ID, 'P-Chain', PRIMARY_NETWORK_ID],
            ...blockchains.map(({ id, name: called, subnetID }) => [id, called, subnetID]),
          ].toSorted(),
        );
        const heights = items.map(({ createBlockNumber }) => Number(createBlockNumber));
        expect(heights).toEqual(heights.toSorted((a, b) => b - a));
        expect(heights.at(-1)).toBe(-1);
        expect(await listed('asc', 1)).toEqual(items.toReversed());
        expect(await listed('asc', 10_000)).toEqual(items.toReversed());
      });

      it('is the same as inside the subnets, which by themselves are the same as in their list', async () => {
        const items = new Map((await listed('desc')).map((item) => [item['blockchainId'], item]));
        const subnets = await api.walk(`${NETWORK}/subnets`, 'subnets', {}, () => 100);
        for (const subnet of subnets) {
          expect(await one(`/subnets/${String(subnet['subnetId'])}`)).toEqual(subnet);
          const inside = Array.isArray(subnet['blockchains']) ? subnet['blockchains'].filter(isRecord) : [];
          for (const blockchain of inside) {
            expect(items.get(blockchain['blockchainId'])).toEqual(without(blockchain, 'genesisData'));
            items.delete(blockchain['blockchainId']);
          }
        }
        expect([...items.keys()]).toEqual([]);
      });

      it('leads to each with its genesis', async () => {
        for (const item of await listed('desc')) {
          const id = String(item['blockchainId']);
          const whole = await one(`/blockchains/${id}`);
          expect(without(whole, 'genesisData')).toEqual(item);
          if (id === PRIMARY_NETWORK_ID) {
            expect(whole).not.toHaveProperty('genesisData');
            continue;
          }
          const isEvm = item['evmChainId'] !== undefined;
          expect(part(whole, 'genesisData')).toMatchObject(
            isEvm
              ? { config: { chainId: item['evmChainId'] }, alloc: expect.any(Object) }
              : { encoding: 'hex', data: expect.stringMatching(/^0x([0-9a-f]{2})+$/) },
          );
        }
      });

      it('knows the chains of the primary network by their names', async () => {
        const { X, C } = recording.blockchainIds;
        expect(await one('/blockchains/p-chain')).toMatchObject({ blockchainId: PRIMARY_NETWORK_ID });
        expect(await one('/blockchains/x-chain')).toEqual(await one(`/blockchains/${X}`));
        expect(await one('/blockchains/c-chain')).toEqual(await one(`/blockchains/${C}`));
      });

      it.each([
        ['/blockchains?pageSize=10001', 400, 'pageSize: must be a whole number from 1 to 10000'],
        ['/blockchains?name=x', 400, 'unknown query parameter name'],
        ['/blockchains/p-chain?pageSize=1', 400, 'unknown query parameter pageSize'],
        [
          '/blockchains/P',
          400,
          'blockchainId: must be one of p-chain, x-chain, c-chain, or a 32-byte id, hex or cb58 encoded',
        ],
        [
          `/blockchains/${NOWHERE}`,
          404,
          'there is no blockchain 2Jc6VooH5wxteNEnVgqR8hNw3Pb58bphqk1myKZpXwrCfpVNZ2 on fuji',
        ],
        ['/subnets/primary', 400, 'subnetId: must be a 32-byte id, hex or cb58 encoded'],
        [
          `/subnets/${NOWHERE}`,
          404,
          'there is no subnet 2Jc6VooH5wxteNEnVgqR8hNw3Pb58bphqk1myKZpXwrCfpVNZ2 on fuji',
        ],
        ['/validators/NodeID-1', 400, 'nodeId: must be a node id (NodeID-…)'],
      ])('answers to %s with %d', (path, status, message) => refused(path, status, message));
    });

    it('have the validations of each node, without the fee that a subnet validation lacks', async () => {
      const all = await validators(api);
      const nodeIds = new Set(all.map(({ nodeId }) => String(nodeId)));
      for (const nodeId of nodeIds) {
        const expected = all
          .filter((item) => item['nodeId'] === nodeId)
          .map((item) => (item['delegationFee'] === null ? without(item, 'delegationFee') : item));
        const path = `${NETWORK}/validators/${nodeId}`;
        expect(await api.walk(path, 'validators', {}, () => 1)).toEqual(expected);
        expect(await api.walk(path, 'validators', { sortOrder: 'asc' }, () => 2)).toEqual(
          expected.toReversed(),
        );
        for (const validationStatus of ['active', 'completed', 'removed', 'pending']) {
          expect(await api.walk(path, 'validators', { validationStatus }, () => 2)).toEqual(
            expected.filter((item) => item['validationStatus'] === validationStatus),
          );
        }
      }
    });

    it('add up to the totals of the network', async () => {
      const primary = final?.validators[PRIMARY_NETWORK_ID] ?? [];
      const stakers = z.array(StakerSchema).parse(primary);
      const own = sum(stakers.map(({ weight }) => weight));
      const delegated = sum(stakers.map(({ delegatorWeight }) => delegatorWeight));
      const details = await one('');
      const supply = String(final?.supply[PRIMARY_NETWORK_ID]?.['supply']);
      const ratio = ((own + delegated) * 10n ** 21n) / BigInt(supply);
      expect(details).toEqual({
        validatorDetails: {
          validatorCount: stakers.length,
          totalAmountStaked: String(own),
          estimatedAnnualStakingReward: String(sum(stakers.map(({ potentialReward }) => potentialReward))),
          // No node has been asked for its peers.
          stakingDistributionByVersion: [
            { version: 'offline', amountStaked: String(own + delegated), validatorCount: stakers.length },
          ],
          stakingRatio: `0.${String((ratio + 5n) / 10n).padStart(20, '0')}`,
        },
        delegatorDetails: {
          delegatorCount: stakers.reduce((count, { delegatorCount }) => count + delegatorCount, 0),
          totalAmountStaked: String(delegated),
        },
      });
      const { version } = { version: 'avalanchego/1.15.0' };
      const [first] = await validators(api, { validationStatus: 'active', subnetId: PRIMARY_NETWORK_ID });
      await api.dataSource.query(
        `INSERT INTO observed_nodes (network, node_id, reachability_percent, benched_p_percent, benched_x_percent, benched_c_percent, version)
         SELECT network, node_id, 50, 0, 0, 0, $1 FROM validators WHERE node_id_text = $2 LIMIT 1`,
        [version, first?.['nodeId']],
      );
      const after = part(await one(''), 'validatorDetails')['stakingDistributionByVersion'];
      expect(after).toContainEqual({
        version,
        amountStaked: String(amount(first ?? {}, 'amountStaked') + amount(first ?? {}, 'amountDelegated')),
        validatorCount: 1,
      });
      await api.dataSource.query('DELETE FROM observed_nodes');
    });
  },
);
