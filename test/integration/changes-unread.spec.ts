import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { connect, type Socket } from 'node:net';
import { packAddress } from '../../src/avalanche/ids/address.js';
import { PRIMARY_NETWORK } from '../../src/avalanche/platformvm/ids.js';
import { Database } from '../../src/platform/database/database.js';
import { MAX_STREAMS_PER_CALLER } from '../../src/resources/changes/open-streams.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { eventually } from '../support/harness/eventually.js';
import { moveIndex } from '../support/http/begun-indexes.js';
import { ChangesApp } from '../support/http/changes-app.js';
import { ChangeStream } from '../support/http/change-stream.js';

/** A UTXO each: together far more than the kernel takes for a caller who reads nothing. */
const BLOCKS = 30_000;
const MAX_PAGE = 201;
/** The most that Node holds back of an answer before it makes its source wait, twice, and the event that was too much. */
const MAX_BUFFERED = 256 * 1024;
const CALLER = '10.0.0.1';

const ownerOf = (number: number) => ({
  hex: number.toString(16).padStart(40, '0'),
  address: packAddress({ hrp: 'fuji', bytes: new Uint8Array(20).fill(number, 19) }),
});
const OWNER = ownerOf(1);
const OTHER = ownerOf(2);

describe('a stream of changes that nobody reads', () => {
  let app: ChangesApp;
  let query: jest.SpiedFunction<Database['query']>;
  /** As the server has them, in the order in which they came. */
  const served: Socket[] = [];

  const statements = (of: string): number =>
    query.mock.calls.filter(([{ text }]) => text.includes(of)).length;

  /** One in each block. */
  const create = async (owner: string, from: number, to: number): Promise<void> => {
    const id = `decode(lpad(to_hex(n), 64, '0'), 'hex')`;
    const chain = `decode('${PRIMARY_NETWORK}', 'hex')`;
    await app.dataSource.query(
      `INSERT INTO utxos (network, utxo_id, tx_id, output_index, asset_id, amount, created_on_chain_id, spendable_on_chain_id,
         block_height, block_time, owner_locktime, owner_threshold, owner_addresses)
       SELECT 'fuji', ${id}, ${id}, 0, ${chain}, 1, ${chain}, ${chain}, n, n, 0, 1, ARRAY[decode('${owner}', 'hex')]
         FROM generate_series($1::int, $2::int) AS n`,
      [from, to],
    );
    await moveIndex(new Database(app.dataSource), { network: 'fuji', chain: 'P', cChainId: 1n }, to);
  };

  /** Asks, and reads nothing of the answer. */
  const ask = (): Socket => {
    const { hostname, port } = new URL(app.url);
    const search = new URLSearchParams({ network: 'fuji', addresses: OWNER.address, cursor: 'p:0' });
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    onCleanup(() => void socket.destroy());
    socket.pause();
    socket.write(
      `GET /v1/changes?${search.toString()} HTTP/1.1\r\nhost: h\r\nx-forwarded-for: ${CALLER}\r\n\r\n`,
    );
    return socket;
  };

  /** Until nothing has been sent between two looks at the heights, which whoever reads goes on with, and all have more than they take. */
  const untilStill = async (unread: readonly Socket[]): Promise<number> => {
    await eventually('all are full', () => unread.every(({ writableLength }) => writableLength > 0));
    for (;;) {
      const [sent, looks] = [await app.sentEvents(), statements('index_coverage')];
      await eventually('another look', () => statements('index_coverage') > looks + 1);
      if (sent > 0 && (await app.sentEvents()) === sent) return sent;
    }
  };

  beforeAll(async () => {
    app = await ChangesApp.start();
    app.server.on('connection', (socket: Socket) => served.push(socket));
    query = jest.spyOn(app.database, 'query');
    await create(OWNER.hex, 1, BLOCKS);
    await app.dataSource.query('ANALYZE utxos');
  });

  it('takes little memory, leaves others alone, is cut, and makes place', async () => {
    const theirs = { network: 'fuji', addresses: OTHER.address };
    const other = await ChangeStream.open(app.url, theirs);
    const first = served.length;
    Array.from({ length: MAX_STREAMS_PER_CALLER }, ask);
    await eventually('all are open', async () => (await app.openStreams()) > MAX_STREAMS_PER_CALLER);
    const unread = served.slice(first);

    const sent = await untilStill(unread);
    expect(sent).toBeLessThan((MAX_STREAMS_PER_CALLER * BLOCKS) / 2);
    for (const { writableLength } of unread) {
      expect(writableLength).toBeGreaterThan(0);
      expect(writableLength).toBeLessThan(MAX_BUFFERED);
    }
    // Of each a page at most has been read of which nothing is sent.
    const pages = statements('AS change');
    expect(pages * MAX_PAGE).toBeLessThan(sent + 2 * MAX_STREAMS_PER_CALLER * MAX_PAGE);

    await create(OTHER.hex, BLOCKS + 1, BLOCKS + 1);
    expect(await other.until(1)).toHaveLength(1);
    const full = ChangeStream.open(app.url, theirs, { 'x-forwarded-for': CALLER });
    await expect(full).rejects.toThrow('429');

    expect(unread.filter(({ destroyed }) => destroyed)).toEqual([]);
    for (const socket of unread) socket.setTimeout(1); // the time in which nothing has moved is over
    await eventually('they are cut', () => unread.every(({ destroyed }) => destroyed));
    await eventually('their places are free', async () => (await app.openStreams()) === 1);
    const again = await ChangeStream.open(app.url, theirs, { 'x-forwarded-for': CALLER });
    await create(OTHER.hex, BLOCKS + 2, BLOCKS + 2);
    expect(await again.until(1)).toHaveLength(1);
    expect(await other.until(2)).toHaveLength(2);
  });
});
