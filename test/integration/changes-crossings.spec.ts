import { beforeAll, describe, expect, it } from '@jest/globals';
import { packAddress } from '../../src/avalanche/ids/address.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, idToString } from '../../src/avalanche/ids/id.js';
import { idToHex } from '../../src/avalanche/ids/text.js';
import { PRIMARY_NETWORK } from '../../src/avalanche/platformvm/ids.js';
import { utxoId } from '../../src/avalanche/platformvm/utxo-id.js';
import { recordUtxos } from '../../src/indexes/utxos/record-utxos.js';
import type { NewUtxo, SpentUtxo } from '../../src/indexes/utxos/utxo.js';
import { writeUtxos } from '../../src/indexes/utxos/write-utxos.js';
import type { PrimaryChain } from '../../src/platform/database/chains.js';
import { Database } from '../../src/platform/database/database.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import { type ChangeEvent, ChangeStream } from '../support/http/change-stream.js';
import { ListApi } from '../support/http/list-api.js';
import { moveIndex } from '../support/http/begun-indexes.js';

/** Of Fuji. */
const CHAIN_IDS: Record<PrimaryChain, string> = {
  P: PRIMARY_NETWORK,
  X: idToHex(idFromString('2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm')),
  C: idToHex(idFromString('yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp')),
};
const ALIASES = new Map(Object.entries(CHAIN_IDS).map(([letter, id]) => [id, letter as PrimaryChain]));
const C_CHAIN = 43113n;
const NAMES: Record<PrimaryChain, string> = { P: 'p', X: 'x', C: `evm${C_CHAIN}` };
const LETTERS = ['P', 'X', 'C'] as const;
const AVAX = '0a'.repeat(32);
const OWNERS = ['11', '22', '33'].map((byte) => byte.repeat(20));
const ADDRESSES = OWNERS.map((owner) => packAddress({ hrp: 'fuji', bytes: fromHex(owner) }));
const LAST_HEIGHT = 40;
/** More than a stream reads at a time, in one block. */
const CROWD = 450;

interface Output {
  readonly created: NewUtxo;
  readonly from: PrimaryChain;
  readonly to: PrimaryChain;
  readonly spent: SpentUtxo | undefined;
}

/** The same numbers each time. */
function pseudoRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

function madeOutput(
  number: number,
  {
    from,
    to,
    height,
    spentAt,
    owners = [0],
  }: {
    from: PrimaryChain;
    to: PrimaryChain;
    height: number;
    spentAt?: number | undefined;
    owners?: readonly number[];
  },
): Output {
  const txId = number.toString(16).padStart(64, '0');
  const common = { utxoId: utxoId(txId, 0), txId, outputIndex: 0, assetId: AVAX };
  const blockOf = (at: number) => ({ blockHeight: BigInt(at), blockTime: 1_700_000_000 + at });
  const addresses = owners.map((index) => OWNERS[index] ?? '');
  const spent =
    spentAt === undefined
      ? undefined
      : {
          ...common,
          amount: BigInt(number),
          createdOnChainId: CHAIN_IDS[from],
          consumingTxId: (number + 100_000).toString(16).padStart(64, '0'),
          ...blockOf(spentAt),
        };
  const created = {
    ...common,
    output: {
      amount: BigInt(number),
      stakeableLocktime: null,
      owners: { locktime: 0n, threshold: addresses.length, addresses },
    },
    spendableOnChainId: CHAIN_IDS[to],
    ...blockOf(height),
  };
  return { created, from, to, spent };
}

/** Whatever crosses, in whichever order the two blocks are indexed. Heights of different chains have nothing to do with each other. */
function madeHistory(seed: number): Output[] {
  const random = pseudoRandom(seed);
  const outputs = Array.from({ length: 120 }, (_, index) => {
    const from = LETTERS[random(3)] ?? 'P';
    const to = from === 'C' ? (LETTERS[random(2)] ?? 'P') : (LETTERS[random(3)] ?? 'P');
    const height = 1 + random(LAST_HEIGHT - 2);
    const lowest = from === to ? height : 1;
    const spentAt = random(3) === 0 ? undefined : lowest + random(LAST_HEIGHT - lowest);
    return madeOutput(index + 1, {
      from,
      to,
      height,
      spentAt,
      owners: random(4) === 0 ? [0, 1] : [random(3)],
    });
  });
  const crowd = Array.from({ length: CROWD }, (_, index) =>
    madeOutput(1_000 + index, { from: 'X', to: 'X', height: 20 }),
  );
  // The last block of the chain that a stream reads last.
  return [...outputs, ...crowd, madeOutput(9_999, { from: 'C', to: 'P', height: LAST_HEIGHT })];
}

const isBlockIn = ({ blockHeight }: { blockHeight: bigint }, from: number, to: number): boolean =>
  blockHeight > BigInt(from) && blockHeight <= BigInt(to);

describe('the changes of UTXOs that cross from chain to chain', () => {
  let api: ListApi;
  let database: Database;
  const evmChainsFile = writeEvmChainsFile([{ chainId: C_CHAIN, rpcUrls: ['http://127.0.0.1:1'] }]);

  beforeAll(async () => {
    api = await ListApi.start(undefined, { EVM_CHAINS_FILE: evmChainsFile });
    database = new Database(api.dataSource);
  });

  /** As the index of one chain does it: rows and height at once. */
  const index = (history: readonly Output[], letter: PrimaryChain, from: number, to: number): Promise<void> =>
    database.transaction(async (transaction) => {
      const write = letter === 'C' ? recordUtxos : writeUtxos;
      const chain = { network: 'fuji', chainId: CHAIN_IDS[letter], aliases: ALIASES } as const;
      await write(transaction, chain, {
        created: history.flatMap((each) =>
          each.from === letter && isBlockIn(each.created, from, to) ? [each.created] : [],
        ),
        consumed: history.flatMap(({ to: where, spent }) =>
          where === letter && spent !== undefined && isBlockIn(spent, from, to) ? [spent] : [],
        ),
      });
      await moveIndex(transaction, { network: 'fuji', chain: letter, cChainId: C_CHAIN }, to);
    });

  /** Whose outputs were created and consumed, as soon as all chains are indexed. */
  const happened = (history: readonly Output[], asked: readonly number[]): string[] =>
    history.flatMap(({ created, spent }) => {
      const { addresses, threshold } = created.output.owners;
      const known = addresses.filter((owner) => asked.some((number) => OWNERS[number] === owner));
      if (known.length < threshold) return [];
      const id = idToString(fromHex(created.utxoId));
      return [`utxo.created ${id}`, ...(spent === undefined ? [] : [`utxo.consumed ${id}`])];
    });

  const nameOf = ({ event, data }: ChangeEvent): string => `${event} ${String(data['utxoId'])}`;

  it.each([1, 2])(
    'come once each, in whatever order the chains are indexed, and behind every event (history %i)',
    async (seed) => {
      await api.dataSource.query('TRUNCATE utxos, utxo_listings, index_checkpoints, index_coverage');
      const history = madeHistory(seed);
      const random = pseudoRandom(seed + 100);
      const reached = { P: 0, X: 0, C: 0 };
      for (const letter of LETTERS) await index(history, letter, -1, 0);
      const asked = [0, 2];
      const query = { network: 'fuji', addresses: asked.map((number) => ADDRESSES[number]).join(',') };
      const live = await ChangeStream.open(api.url, query);
      const begun = live.lastId;
      expect(begun).toBe('p:0,x:0,evm43113:0');
      while (LETTERS.some((letter) => reached[letter] < LAST_HEIGHT)) {
        const letter = LETTERS[random(3)] ?? 'P';
        const to = Math.min(LAST_HEIGHT, reached[letter] + 1 + random(30));
        if (to === reached[letter]) continue;
        // Once its last change has come, the stream has met the chains in this order.
        const witness = madeOutput(20_000 + history.length, {
          from: letter,
          to: letter === 'C' ? 'X' : letter,
          height: to,
        });
        history.push(witness);
        await index(history, letter, reached[letter], to);
        reached[letter] = to;
        await live.untilEvent(({ data }) => data['utxoId'] === idToString(fromHex(witness.created.utxoId)));
      }
      const expected = happened(history, asked);
      const followed = [...(await live.until(expected.length))];
      live.close();
      expect(followed.map(nameOf).sort()).toEqual(expected.toSorted());
      for (const letter of LETTERS) {
        const heights = followed.map(({ id }) => Number(new RegExp(`${NAMES[letter]}:(\\d+)`).exec(id)?.[1]));
        expect(heights).toEqual(heights.toSorted((a, b) => a - b));
      }
      const [last] = followed.slice(-1);
      for (const [at, { id }] of followed.entries()) {
        const rest = followed
          .slice(at + 1)
          .map(nameOf)
          .sort();
        if (rest.length === 0 || at % 23 !== 0) continue;
        const resumed = await ChangeStream.open(api.url, { ...query, cursor: id });
        expect([...(await resumed.until(rest.length))].map(nameOf).sort()).toEqual(rest);
        resumed.close();
      }
      expect(last).toBeDefined();
    },
  );
});
