import { beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { join } from 'node:path';
import { readPChainRecording } from '../../sandbox/recording/p-chain-recording.js';
import { packAddress } from '../../src/avalanche/ids/address.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { parseBlock } from '../../src/avalanche/platformvm/codec/block.js';
import { parseUtxo } from '../../src/avalanche/platformvm/codec/utxo.js';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { idFromString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import { beginCIndex, beginXIndex } from '../support/http/begun-indexes.js';
import { operationsOf } from '../support/http/api-contract.js';
import { isRecord, ListApi } from '../support/http/list-api.js';
import { part, sum, validators } from '../support/http/validator-lists.js';
import { indexRecording } from '../support/p-chain/index-recording.js';
import {
  addressText,
  idOf,
  idText,
  listingRows,
  shortIdOf,
  type UtxoRow,
  utxoRow,
} from '../support/p-chain/p-chain-rows.js';

const path = (chain: string, network: string): string =>
  `/v1/networks/${network}/blockchains/${chain}-chain/balances`;

type Query = Readonly<Record<string, string>>;
interface Balance {
  readonly assetId: string;
  readonly amount: string;
  readonly utxoCount: number;
  readonly sharedWithChainId?: string;
}
type Balances = Readonly<Record<string, Balance[]>>;

async function balancesOf(api: ListApi, chain: string, network: string, query: Query): Promise<Balances> {
  const answer = await api.get(path(chain, network), query);
  expect(answer).toMatchObject({
    status: 200,
    body: { chainInfo: { chainName: `${chain}-chain`, network } },
  });
  return part(answer.body as Record<string, unknown>, 'balances') as Balances;
}

const localAddress = (hex: string): string => packAddress({ hrp: 'local', bytes: fromHex(hex) });

const amountOf = (balances: Balances, names: readonly string[]): bigint =>
  sum(names.flatMap((name) => balances[name] ?? []).map(({ amount }) => BigInt(amount)));

/** Answers of nodes to getUTXOs and getTotalStake at heights of the past. */
describe.each([
  'test/recordings/p-chain-granite',
  'test/recordings/p-chain-helicon',
  'sandbox/recording/p-chain',
])('balances over %s', (name) => {
  const recording = readPChainRecording(join(projectFolder(), `${name}.json.br`));
  const times = recording.blocks.map(({ bytes }) => {
    const block = parseBlock(fromHex(bytes));
    return 'time' in block ? Number(block.time) : 0;
  });
  /** Those whose time decides which blocks were before. */
  const steps = recording.answers.filter(
    ({ height, timestamp }) => (times[Number(height) + 1] ?? Infinity) > timestamp,
  );
  let api: ListApi;

  beforeAll(async () => {
    api = await ListApi.start();
    await indexRecording(recording, api.dataSource, async (replay, write) => {
      if (!replay.isUndecided) await write();
    });
  });

  it('are what nodes had at the time', async () => {
    expect(steps.length).toBeGreaterThan(20);
    for (const { height, timestamp, utxos } of steps) {
      const known = new Set(Object.values(utxos).flat());
      const parsed = [...known].map((bytes) => parseUtxo(fromHex(bytes)).output);
      for (const addresses of [...Object.keys(utxos).map((address) => [address]), Object.keys(utxos)]) {
        const owned = parsed.filter(
          ({ owners }) =>
            owners.addresses.filter((owner) => addresses.includes(`P-${localAddress(owner)}`)).length >=
            owners.threshold,
        );
        const stakeable = owned.filter((output) => (output.stakeableLocktime ?? 0n) > timestamp);
        const query = { addresses: addresses.join(','), blockTimestamp: String(timestamp) };
        const balances = await balancesOf(api, 'p', 'fuji', query);
        const all = amountOf(balances, ['unlockedUnstaked', 'lockedStakeable', 'lockedPlatform']);
        expect([height, addresses, all, amountOf(balances, ['lockedStakeable'])]).toEqual([
          height,
          addresses,
          sum(owned.map(({ amount }) => amount)),
          sum(stakeable.map(({ amount }) => amount)),
        ]);
      }
    }
  });

  it('have all that is staked', async () => {
    const stakes = await validators(api, { validationStatus: 'active', subnetId: PRIMARY_NETWORK_ID });
    expect(stakes.length).toBeGreaterThan(0);
    const everybody = await api.dataSource.query<{ address: Buffer }[]>(
      'SELECT DISTINCT unnest(owner_addresses) AS address FROM utxos',
    );
    const addresses = everybody.map(({ address }) => packAddress({ hrp: 'local', bytes: address })).join(',');
    const balances = await balancesOf(api, 'p', 'fuji', { addresses });
    const avax = (name: string): bigint =>
      sum(
        (balances[name] ?? [])
          .filter(({ assetId }) => assetId === recording.avaxAssetId)
          .map(({ amount }) => BigInt(amount)),
      );
    const restaked = balances['restakedRewards'] as unknown as string;
    const last = recording.answers.at(-1)?.totalStake[PRIMARY_NETWORK_ID];
    expect(avax('unlockedStaked') + avax('lockedStaked') + BigInt(restaked)).toBe(
      BigInt(String((last as { stake: string }).stake)),
    );
  });
});

const NOW = Math.floor(Date.now() / 1000);
const C_CHAIN = { network: 'mainnet', chainId: 43_114n } as const;
const KNOWN_SINCE = 1_030;
const CHAIN_IDS: Readonly<Record<string, string>> = {
  p: PRIMARY_NETWORK_ID,
  x: '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM',
  c: '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5',
};

const NAMES: Readonly<Record<string, readonly string[]>> = {
  p: [
    'unlockedUnstaked',
    'unlockedStaked',
    'lockedPlatform',
    'lockedStakeable',
    'lockedStaked',
    'pendingStaked',
  ],
  x: ['unlocked', 'locked'],
  c: [],
};

const time = fc.integer({ min: 1_000, max: 1_060 });
const madeUtxos = fc
  .sample(
    fc.record({
      owners: fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
      threshold: fc.integer({ min: 1, max: 3 }),
      amount: fc.constantFrom('0', '1', '1000000000', '18446744073709551615'),
      created: time,
      consumed: fc.option(time),
      locktime: fc.constantFrom(0, 0, 1_020, 1_050, NOW + 1_000),
      stakeable: fc.constantFrom(null, null, 1_040, NOW + 1_000),
      stake: fc.option(fc.record({ start: time, length: fc.constantFrom(5, NOW) })),
      asset: fc.constantFrom(9, 9, 10),
      kind: fc.constantFrom(null, null, null, 'mint', 'nft_transfer'),
      chains: fc.constantFrom(['p'], ['p'], ['x'], ['x', 'p'], ['p', 'c'], ['c', 'x']),
    }),
    { numRuns: 400, seed: 5 },
  )
  .map((made, i) => ({
    ...made,
    id: idOf(i + 1),
    consumed: made.consumed === null ? null : Math.max(made.consumed, made.created),
  }))
  // X- and C-chain have neither stakes nor the lock for staking.
  .map((made) =>
    made.chains[0] === 'p' && made.chains.length === 1 ? made : { ...made, stake: null, stakeable: null },
  );
type MadeUtxo = (typeof madeUtxos)[number];

const idBytes = (chain: string | undefined): string =>
  `\\x${Buffer.from(idFromString(CHAIN_IDS[chain ?? 'p'] ?? '')).toString('hex')}`;

function rowOf({ chains, stake, ...made }: MadeUtxo): UtxoRow {
  const end = stake === null ? null : stake.start + stake.length;
  return utxoRow({
    network: 'mainnet',
    utxo_id: made.id,
    amount: made.amount,
    block_time: made.created,
    asset_id: idOf(made.asset),
    created_on_chain_id: idBytes(chains[0]),
    spendable_on_chain_id: idBytes(chains.at(-1)),
    owner_threshold: Math.min(made.threshold, made.owners.length),
    owner_addresses: made.owners.map(shortIdOf),
    owner_locktime: String(made.locktime),
    stakeable_locktime: made.stakeable === null ? null : String(made.stakeable),
    output_kind: made.kind,
    is_stake_output: stake !== null,
    staked: stake !== null && (end ?? 0) > NOW,
    stake_start: stake?.start ?? null,
    stake_end: end,
    consuming_tx_id: made.consumed === null ? null : idOf(1),
    consuming_block_time: made.consumed,
  });
}

/** The name of the sum that a UTXO is in. */
function nameOf({ chains, stake, locktime, stakeable }: MadeUtxo, chain: string, at: number): string {
  const isLocked = locktime > at;
  if (chains.length > 1) return isLocked ? 'atomicMemoryLocked' : 'atomicMemoryUnlocked';
  if (chain === 'x') return isLocked ? 'locked' : 'unlocked';
  if (stake !== null && stake.start + stake.length > at) {
    if (stake.start > at) return 'pendingStaked';
    return (stakeable ?? 0) > at ? 'lockedStaked' : 'unlockedStaked';
  }
  if (isLocked) return 'lockedPlatform';
  return (stakeable ?? 0) > at ? 'lockedStakeable' : 'unlockedUnstaked';
}

/** The answer, UTXO by UTXO. */
function expectedBalances(chain: string, owners: readonly number[], at: number) {
  const sums = new Map<string, { amount: bigint; utxoCount: number }>();
  for (const made of madeUtxos) {
    const isHeld =
      made.chains.at(-1) === chain &&
      (chain !== 'c' || made.chains.length > 1) &&
      made.kind !== 'mint' &&
      made.created <= at &&
      (made.consumed === null ? chain !== 'c' || made.created >= KNOWN_SINCE : made.consumed > at) &&
      made.owners.filter((owner) => owners.includes(owner)).length >=
        Math.min(made.threshold, made.owners.length);
    if (!isHeld) continue;
    const from = made.chains.length > 1 ? (CHAIN_IDS[made.chains[0] ?? ''] ?? '') : '';
    const key = [
      nameOf(made, chain, at),
      idText(idOf(made.asset)),
      made.kind === null ? 'secp256k1' : 'nft',
      from,
    ].join(' ');
    const { amount, utxoCount } = sums.get(key) ?? { amount: 0n, utxoCount: 0 };
    sums.set(key, { amount: amount + BigInt(made.amount), utxoCount: utxoCount + 1 });
  }
  return new Map([...sums].map(([key, { amount, utxoCount }]) => [key, `${amount} in ${utxoCount}`]));
}

describe('GET /v1/networks/{network}/blockchains/{blockchainId}/balances', () => {
  let api: ListApi;

  beforeAll(async () => {
    const chains = [{ ...C_CHAIN, rpcUrls: ['http://127.0.0.1:1'] }];
    api = await ListApi.start(undefined, { EVM_CHAINS_FILE: writeEvmChainsFile(chains) });
    await beginXIndex(api, 'mainnet');
    await beginCIndex(api, C_CHAIN, KNOWN_SINCE);
    await api.insert('utxos', madeUtxos.map(rowOf));
    await api.insert(
      'utxo_listings',
      madeUtxos.flatMap((made) =>
        made.chains.flatMap((chain, place) =>
          listingRows(rowOf(made), [chain.toUpperCase()]).map((listing) =>
            // The chain that it left has it as spent.
            place < made.chains.length - 1 ? { ...listing, is_spent: true } : listing,
          ),
        ),
      ),
    );
  });

  it('answers what a plain sum over all UTXOs has, now and at any time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('p', 'x', 'c'),
        fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
        fc.option(fc.integer({ min: 990, max: 1_070 })),
        async (chain, owners, at) => {
          const addresses = owners.map((owner) => addressText(shortIdOf(owner), 'avax')).join(',');
          const query = { addresses, ...(at === null ? {} : { blockTimestamp: String(at) }) };
          if (chain === 'c' && at !== null && at < KNOWN_SINCE) {
            expect(await api.get(path(chain, 'mainnet'), query)).toMatchObject({
              status: 503,
              body: {
                message: `which UTXOs of the c-chain of mainnet were spent before ${KNOWN_SINCE} is not known`,
              },
            });
            return;
          }
          const balances = await balancesOf(api, chain, 'mainnet', query);
          const { restakedRewards, ...sums } = balances;
          expect(restakedRewards).toBe(chain === 'p' && at === null ? '0' : undefined);
          expect(Object.keys(sums).sort()).toEqual(
            [...(NAMES[chain] ?? []), 'atomicMemoryLocked', 'atomicMemoryUnlocked'].sort(),
          );
          const counted = Object.entries(sums).flatMap(([name, assets]) =>
            assets.map((asset): [string, string] => [
              [name, asset.assetId, (asset as { type?: string }).type, asset.sharedWithChainId ?? ''].join(
                ' ',
              ),
              `${asset.amount} in ${asset.utxoCount}`,
            ]),
          );
          expect(new Map(counted)).toEqual(expectedBalances(chain, owners, at ?? NOW));
          expect(counted).toHaveLength(new Map(counted).size);
        },
      ),
      { numRuns: 150 },
    );
  });

  const owner = addressText(shortIdOf(1), 'avax');

  it.each(['p', 'x', 'c'])('are, of the %s-chain, as the document has them', async (chain) => {
    const { body: document } = await api.get('/openapi.json');
    const operation = operationsOf(isRecord(document) ? document : {}).find(({ id }) => id === 'getBalances');
    // As it is: clients take further fields, by which alternatives may become alike.
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    const validate = ajv.compile(operation?.answers.get(200) ?? false);
    const { body } = await api.get(path(chain, 'mainnet'), { addresses: owner });
    validate(body);
    expect(validate.errors).toBeNull();
  });

  it.each([
    ['p', '', 'addresses: is missing'],
    ['p', 'addresses=', expect.stringMatching(/^addresses: must be bech32 addresses /)],
    [
      'p',
      `addresses=${addressText(shortIdOf(1), 'fuji')}`,
      'addresses: addresses of this network start with avax1',
    ],
    ['p', `addresses=${owner}&blockTimestamp=99999999999`, 'blockTimestamp: must not be in the future'],
    [
      'p',
      `addresses=${owner}&blockTimestamp=1.5`,
      'blockTimestamp: must be a whole number from 0 to 253402300799',
    ],
    [
      'q',
      `addresses=${owner}`,
      expect.stringMatching(/^blockchainId: must be, on mainnet, one of p-chain, /),
    ],
  ])('answers 400 on the %s-chain to %j', async (chain, query, message) => {
    expect(await api.get(`${path(chain, 'mainnet')}?${query}`)).toMatchObject({
      status: 400,
      body: { message },
    });
  });

  it('refuses to sum up what anybody can make endless', async () => {
    await api.dataSource.query(
      `INSERT INTO utxo_listings (network, chain, address, is_spent, block_time, amount, utxo_id, asset_id, threshold)
       SELECT 'mainnet', 'X', $1::bytea, false, 1000, 1, sha256(i::text::bytea), $2::bytea, 1 FROM generate_series(1, 100001) i`,
      [Buffer.from(shortIdOf(7).slice(2), 'hex'), Buffer.alloc(32)],
    );
    const addresses = addressText(shortIdOf(7), 'avax');
    expect(await api.get(path('x', 'mainnet'), { addresses })).toMatchObject({
      status: 400,
      body: { message: 'addresses: own more than 100000 UTXOs; list them by pages instead' },
    });
  });
});
