import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { toHex } from '../../../src/avalanche/ids/hex.js';
import { idFromString } from '../../../src/avalanche/ids/id.js';
import { packHash } from '../../../src/avalanche/warp/payload/hash.js';
import { packUnsignedMessage } from '../../../src/avalanche/warp/unsigned-message.js';
import { TestBed } from '../test-bed.js';
import { describeStretches, ServiceOnTheInternet } from './honest-caller.js';

const GOALS = { p50Ratio: 1.3 } as const;
/** The most that avalanchego takes from one node (inbound bandwidth throttler of v1.15.0). */
const BYTES_PER_SECOND = 512 * 1024;
const POLL_MS = 100;
const CONNECT_LIMIT_MS = 300_000;

const WorldSchema = z.object({
  networkId: z.number(),
  l1: z.object({ blockchainId: z.string() }),
  validators: z.array(z.object({ index: z.number(), clients: z.number() })),
});

export interface GossipFlood {
  readonly validators: number;
  readonly seconds: number;
  /** Validators of an L1 alone. */
  readonly gossipers: number;
}

/** An honest caller's fresh messages, while the validators of an L1 are quiet, and while they gossip. @returns the table */
export async function benchGossip(options: GossipFlood, log: (text: string) => void): Promise<string> {
  const { validators, seconds, gossipers } = options;
  const bed = await TestBed.start(log);
  try {
    log(
      `${validators} validators on the internet, ${gossipers} of an L1: starting the sandbox and the service`,
    );
    const sandboxOptions = ['--l1-validators', String(gossipers)];
    const service = await ServiceOnTheInternet.start(bed, { validators, sandboxOptions });
    const world = async () => WorldSchema.parse(JSON.parse((await service.sandbox.get('/sandbox')).body));
    const ofL1 = async () => (await world()).validators.slice(validators);
    const countConnected = async () => (await ofL1()).filter(({ clients }) => clients > 0).length;

    // Whoever asks for a message of the L1 has its validators connected.
    const { networkId, l1 } = await world();
    const payload = packHash({ hash: randomBytes(32) });
    const message = packUnsignedMessage({ networkId, sourceChainId: idFromString(l1.blockchainId), payload });
    const giveUpAtMs = performance.now() + CONNECT_LIMIT_MS;
    while ((await countConnected()) < gossipers) {
      if (performance.now() > giveUpAtMs) throw new Error('the validators of the L1 are not connected');
      await service.ask('198.18.0.2', { message: toHex(message) });
      await delay(POLL_MS);
    }
    log('an honest caller alone');
    const quiet = await service.honestFor(seconds / 2);
    log(`beside ${gossipers} nodes that gossip ${BYTES_PER_SECOND} bytes a second each`);
    for (const { index } of await ofL1()) {
      const behaviour = { kind: 'gossip', bytesPerSecond: BYTES_PER_SECOND };
      await service.sandbox.post(`/sandbox/validators/${index}`, JSON.stringify(behaviour));
    }
    const flooded = await service.honestFor(seconds);
    const left = await countConnected();
    service.close();
    return describeStretches(quiet, flooded, GOALS, [
      `${left} of the ${gossipers} are connected at the end.`,
    ]);
  } finally {
    await bed.stop();
  }
}
