import { beforeAll, describe, expect, it } from '@jest/globals';
import { isRecord, ListApi, TOKEN_REFUSAL } from '../support/http/list-api.js';
import {
  addressText,
  bytea,
  checkpointRow,
  delegatorRow,
  idOf,
  idText,
  nodeIdText,
  shortIdOf,
  validatorRow,
} from '../support/p-chain/p-chain-rows.js';

const PATH = '/v1/networks/mainnet/validators';
const PRIMARY = '11111111111111111111111111111111LpoYY';

describe('answers of GET /v1/networks/{network}/validators', () => {
  let api: ListApi;

  beforeAll(async () => {
    api = await ListApi.start();
    await api.insert('index_checkpoints', [checkpointRow({ networkId: '12345' })]);
  });

  describe('with the exact answers', () => {
    const fuji = '/v1/networks/fuji/validators';
    const [alice, bob] = [shortIdOf(0xa), shortIdOf(0xb)];
    const node = shortIdOf(7);
    const common = {
      network: 'fuji',
      node_id: node,
      block_height: 8,
      start_time: 1_700_000_001,
      end_time: 1_700_000_002,
    };

    beforeAll(async () => {
      await api.insert('subnet_stakes', [
        { network: 'fuji', subnet_id: idOf(0), supply: '1', total_weight: '8000000000000' },
      ]);
      await api.insert('validators', [
        validatorRow({
          ...common,
          tx_id: idOf(1),
          weight: '2000000000000',
          potential_reward: '18446744073709551615',
          signer_public_key: bytea(48, 5),
          signer_proof_of_possession: bytea(96, 6),
          validation_rewards_owner_addresses: [alice],
          delegation_rewards_owner_addresses: [alice, bob],
          shares: 205_000,
          delegatee_reward: '45990',
          delegated_weight: '3',
          delegator_count: 2,
          total_delegated_weight: '4',
          total_delegator_count: 3,
          delegation_capacity: '7999999999997',
          uptime_performance: 99.97,
        }),
        validatorRow({
          ...common,
          tx_id: idOf(2),
          status: 'pending',
          shares: 1_000_000,
          delegation_capacity: '5',
        }),
        validatorRow({
          ...common,
          tx_id: idOf(3),
          status: 'completed',
          shares: 20_000,
          paid_validation_reward: '938693',
          paid_delegation_reward: '45990',
          end_tx_id: idOf(33),
          ended_at: 1_700_000_003,
          total_delegated_weight: '4',
          total_delegator_count: 3,
        }),
        validatorRow({
          ...common,
          tx_id: idOf(4),
          subnet_id: idOf(12),
          status: 'removed',
          weight: '20',
          is_permissioned: true,
          tx_type: 'AddSubnetValidator',
          validation_rewards_owner_locktime: null,
          validation_rewards_owner_threshold: null,
          validation_rewards_owner_addresses: null,
          delegation_rewards_owner_locktime: null,
          delegation_rewards_owner_threshold: null,
          delegation_rewards_owner_addresses: null,
          shares: null,
          end_tx_id: idOf(44),
          ended_at: 1_700_000_002,
        }),
      ]);
      await api.insert('observed_nodes', [
        {
          network: 'fuji',
          node_id: node,
          reachability_percent: 99.9306,
          benched_p_percent: 0.0694,
          benched_x_percent: 0,
          benched_c_percent: 25,
          version: 'avalanchego/1.14.2',
          city: 'Zurich',
          country_code: 'CH',
          latitude: 47.3769,
          longitude: -8.5417,
        },
      ]);
      await api.insert('delegators', [
        // The validator's part is 20.5 % of each, and of the second one what the division by a million leaves over.
        delegatorRow({
          ...common,
          tx_id: idOf(51),
          validator_tx_id: idOf(1),
          shares: 205_000,
          potential_reward: '1000',
        }),
        delegatorRow({
          ...common,
          tx_id: idOf(52),
          validator_tx_id: idOf(1),
          shares: 205_000,
          potential_reward: '18446744073709551615',
        }),
        delegatorRow({
          ...common,
          tx_id: idOf(53),
          validator_tx_id: idOf(1),
          status: 'completed',
          potential_reward: '5',
        }),
      ]);
    });

    it('lists what each status has, in addresses of the network behind the name', async () => {
      const [a, b, owner] = [alice, bob, shortIdOf(1)].map((address) => addressText(address, 'local'));
      const { text, body } = await api.get(fuji, { sortOrder: 'asc' });
      expect(body).toEqual({
        validators: [
          {
            txHash: idText(idOf(1)),
            nodeId: nodeIdText(node),
            subnetId: PRIMARY,
            amountStaked: '2000000000000',
            delegationFee: '20.5',
            startTimestamp: 1_700_000_001,
            endTimestamp: 1_700_000_002,
            blsCredentials: {
              publicKey: `0x${'00'.repeat(47)}05`,
              proofOfPossession: `0x${'00'.repeat(95)}06`,
            },
            delegatorCount: 2,
            amountDelegated: '3',
            rewards: { validationRewardAmount: '0', delegationRewardAmount: '0', rewardAddresses: [a, b] },
            validationStatus: 'active',
            stakingType: 'fixed',
            stakePercentage: 25,
            uptimePerformance: 99.97,
            avalancheGoVersion: 'avalanchego/1.14.2',
            validatorHealth: {
              reachabilityPercent: 99.9306,
              benchedPChainRequestsPercent: 0.0694,
              benchedXChainRequestsPercent: 0,
              benchedCChainRequestsPercent: 25,
            },
            geolocation: {
              city: 'Zurich',
              country: 'Switzerland',
              countryCode: 'CH',
              latitude: 47.3769,
              longitude: -8.5417,
            },
            delegationCapacity: '7999999999997',
            potentialRewards: {
              validationRewardAmount: '18446744073709551615',
              // 45990 + (1000 − 795) + (2^64 − 1 − 795000 · ⌊(2^64 − 1) / 10^6⌋)
              delegationRewardAmount: String(
                45_990n + 205n + (2n ** 64n - 1n - 795_000n * ((2n ** 64n - 1n) / 1_000_000n)),
              ),
              rewardAddresses: [a, b],
            },
          },
          {
            txHash: idText(idOf(2)),
            nodeId: nodeIdText(node),
            subnetId: PRIMARY,
            amountStaked: '2000000000000',
            delegationFee: '100',
            startTimestamp: 1_700_000_001,
            endTimestamp: 1_700_000_002,
            delegatorCount: 0,
            amountDelegated: '0',
            rewards: { validationRewardAmount: '0', delegationRewardAmount: '0', rewardAddresses: [owner] },
            validationStatus: 'pending',
            stakingType: 'fixed',
          },
          {
            txHash: idText(idOf(3)),
            nodeId: nodeIdText(node),
            subnetId: PRIMARY,
            amountStaked: '2000000000000',
            delegationFee: '2',
            startTimestamp: 1_700_000_001,
            endTimestamp: 1_700_000_002,
            delegatorCount: 3,
            amountDelegated: '4',
            rewards: {
              validationRewardAmount: '938693',
              delegationRewardAmount: '45990',
              rewardAddresses: [owner],
              rewardTxHash: idText(idOf(33)),
            },
            validationStatus: 'completed',
            stakingType: 'fixed',
          },
          {
            txHash: idText(idOf(4)),
            nodeId: nodeIdText(node),
            subnetId: idText(idOf(12)),
            amountStaked: '20',
            delegationFee: null,
            startTimestamp: 1_700_000_001,
            endTimestamp: 1_700_000_002,
            delegatorCount: 0,
            amountDelegated: '0',
            rewards: { validationRewardAmount: '0', delegationRewardAmount: '0', rewardAddresses: [] },
            validationStatus: 'removed',
            stakingType: 'fixed',
            removeTxHash: idText(idOf(44)),
            removeTimestamp: 1_700_000_002,
          },
        ],
      });
      expect(text).not.toContain('nextPageToken');
      expect((await api.get('/v1/networks/testnet/validators', { sortOrder: 'asc' })).text).toBe(text);
    });

    it('gives a token of the test network under both of its names', async () => {
      const first = await api.get(fuji, { pageSize: '3' });
      if (!isRecord(first.body) || typeof first.body['nextPageToken'] !== 'string') {
        throw new Error('no token');
      }
      const pageToken = first.body['nextPageToken'];
      const second = await api.get('/v1/networks/testnet/validators', { pageToken, pageSize: '50' });
      expect(second).toMatchObject({ status: 200, body: { validators: [{ txHash: idText(idOf(1)) }] } });
    });
  });

  it.each<[string, string]>([
    ['pageSize=0', 'pageSize: must be a whole number from 1 to 100'],
    ['pageSize=101', 'pageSize: must be a whole number from 1 to 100'],
    ['pageSize=', 'pageSize: must be a whole number from 1 to 100'],
    ['pageSize=1e1', 'pageSize: must be a whole number from 1 to 100'],
    ['pageSize=5&pageSize=6', 'pageSize: must be given once'],
    [
      'sortBy=stake',
      'sortBy: must be one of blockIndex, delegationCapacity, timeRemaining, delegationFee, uptimePerformance',
    ],
    ['sortOrder=up', 'sortOrder: must be one of asc, desc'],
    ['sortOrder=asc&sortOrder=desc', 'sortOrder: must be given once'],
    ['validationStatus=Active', 'validationStatus: must be one of completed, active, pending, removed'],
    [
      'minDelegationCapacity=720000000000000001',
      'minDelegationCapacity: must be a whole number from 0 to 720000000000000000',
    ],
    [
      'maxDelegationCapacity=-1',
      'maxDelegationCapacity: must be a whole number from 0 to 720000000000000000',
    ],
    ['minTimeRemaining=2147483648', 'minTimeRemaining: must be a number from 0 to 2147483647'],
    ['maxTimeRemaining=soon', 'maxTimeRemaining: must be a number from 0 to 2147483647'],
    ['minFeePercentage=1.9', 'minFeePercentage: must be a number from 2 to 100'],
    ['maxFeePercentage=100.1', 'maxFeePercentage: must be a number from 2 to 100'],
    ['minUptimePerformance=', 'minUptimePerformance: must be a number from 0 to 100'],
    ['maxUptimePerformance=101', 'maxUptimePerformance: must be a number from 0 to 100'],
    [
      'minDelegationCapacity=2&maxDelegationCapacity=1',
      'minDelegationCapacity must not be above maxDelegationCapacity',
    ],
    [
      'minDelegationCapacity=720000000000000000&maxDelegationCapacity=719999999999999999',
      'minDelegationCapacity must not be above maxDelegationCapacity',
    ],
    [
      'minFeePercentage=3.00000000000000000001&maxFeePercentage=3',
      'minFeePercentage must not be above maxFeePercentage',
    ],
    ['minTimeRemaining=2&maxTimeRemaining=1', 'minTimeRemaining must not be above maxTimeRemaining'],
    ['minFeePercentage=3&maxFeePercentage=2.5', 'minFeePercentage must not be above maxFeePercentage'],
    [
      'minUptimePerformance=3&maxUptimePerformance=2',
      'minUptimePerformance must not be above maxUptimePerformance',
    ],
    ['subnetId=a&subnetId=a', 'subnetId: must be given once'],
    [
      'pageSize=0&pageSize=0&subnetId=a&subnetId=b',
      'pageSize: must be given once; subnetId: must be given once',
    ],
    ['subnetId=primary', 'subnetId: must be a 32-byte id, hex or cb58 encoded'],
    ['subnetId=', 'subnetId: must be a 32-byte id, hex or cb58 encoded'],
    [
      'nodeIds=',
      'nodeIds: must be parts of node ids (letters, digits and -, at most 64 of them), comma-separated; "" is none',
    ],
    [
      'nodeIds=a%25',
      'nodeIds: must be parts of node ids (letters, digits and -, at most 64 of them), comma-separated; "a%" is none',
    ],
    ['sortBy=delegationFee', `sortBy: delegationFee is available for mainnet with subnetId ${PRIMARY} only`],
    [
      `sortBy=delegationFee&subnetId=${'ab'.repeat(32)}`,
      `sortBy: delegationFee is available for mainnet with subnetId ${PRIMARY} only`,
    ],
    ['nodeId=x', 'unknown query parameter nodeId'],
    ['pageToken=x', TOKEN_REFUSAL],
    [`pageToken=${'A'.repeat(5000)}`, TOKEN_REFUSAL],
  ])('answers 400 to %s', async (query, message) => {
    const answer = await api.get(`${PATH}?${query}`);
    expect(answer).toMatchObject({
      status: 400,
      contentType: 'application/json; charset=utf-8',
      body: { message, statusCode: 400, error: 'Bad Request' },
    });
    expect(Object.keys(isRecord(answer.body) ? answer.body : {})).toHaveLength(3);
  });

  it('answers 400 to sorting by fee on fuji', async () => {
    expect(
      await api.get('/v1/networks/fuji/validators', { sortBy: 'delegationFee', subnetId: PRIMARY }),
    ).toMatchObject({
      status: 400,
      body: { message: `sortBy: delegationFee is available for mainnet with subnetId ${PRIMARY} only` },
    });
  });

  it('answers 400 to an unknown network', async () => {
    expect(await api.get('/v1/networks/goerli/validators')).toMatchObject({
      status: 400,
      body: {
        message: 'network: must be one of mainnet, fuji, testnet',
        statusCode: 400,
        error: 'Bad Request',
      },
    });
  });
});
