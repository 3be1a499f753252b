import { parseArgs } from 'node:util';
import { generatedChains } from './generated/generated-chains.js';
import { chainTime } from './rpc/stake-methods.js';
import { DEFAULT_SEED, type Sandbox, SANDBOX_NETWORK_ID, startSandbox } from './sandbox.js';

const USAGE = `Usage: npm run sandbox -- [options]
  --validators N        simulated validators (5; with --internet 930)
  --l1-validators N     that many more, of the L1 alone (0)
  --internet            stakes, distances and failures as on the internet, and a slow, rate-limited node; no recorded blocks
  --staked              a P-chain whose blocks stake the validators, for a service without a node
  --port N              HTTP port of the simulated node (9650; 0 for a free one)
  --host ADDRESS        address to listen on (127.0.0.1)
  --public-ip ADDRESS   IPv4 address that the validators announce (the one of --host)
  --generated N         that many generated blocks on each chain instead of the recorded ones
  --no-blocks           no recorded P-chain: all validator lists name the simulated ones, for clients that start from these lists
  --seed TEXT           seed of all ids and keys (${DEFAULT_SEED})
  --network-id N        network id (12345, that of local networks and of the recorded P-chain; any other has no blocks)
  --block-interval N    milliseconds per P-chain block (0: only on demand; for other network ids 10000)`;

const OPTIONS = {
  validators: { type: 'string' },
  internet: { type: 'boolean', default: false },
  staked: { type: 'boolean', default: false },
  'l1-validators': { type: 'string', default: '0' },
  generated: { type: 'string' },
  'no-blocks': { type: 'boolean', default: false },
  port: { type: 'string', default: '9650' },
  host: { type: 'string', default: '127.0.0.1' },
  'public-ip': { type: 'string' },
  seed: { type: 'string', default: DEFAULT_SEED },
  'network-id': { type: 'string', default: '12345' },
  'block-interval': { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/**
 * 2026-01-01. Heights without blocks count from here, so that they do not fall when the sandbox is started again. Recorded
 * blocks stay as many as they are.
 */
const HEIGHTS_SINCE_MS = 1_767_225_600_000;
const HEIGHT_INTERVAL_MS = 10_000;
const MIN_HEIGHT = 1_000;

/** Recorded blocks end, time does not: as on any network at work, the days of the last of them are over when they are over. */
const TIME_OF_TODAY = {
  'platform.getTimestamp': () => ({ timestamp: chainTime(Math.floor(Date.now() / 1000)) }),
};

/** Of those without a node. */
const LISTED_PEERS = 12;

const { values } = parseArgs({ options: OPTIONS });

if (values.help) {
  console.log(USAGE);
} else {
  await run();
}

async function run(): Promise<void> {
  const networkId = toInteger('network-id', 1);
  const hasBlocks =
    networkId === SANDBOX_NETWORK_ID && (values.staked || (!values.internet && !values['no-blocks']));
  const sandbox = await startSandbox({
    internet: values.internet,
    ...(values['no-blocks'] ? { recording: null } : {}),
    ...(values.staked ? { staked: {} } : {}),
    ...(values.generated === undefined ? {} : await generatedChains(toInteger('generated', 1))),
    ...(values.validators === undefined ? {} : { validators: toInteger('validators', 1) }),
    l1Validators: toInteger('l1-validators', 0),
    httpPort: toInteger('port', 0),
    host: values.host,
    publicIp: values['public-ip'],
    seed: values.seed,
    networkId,
    ...(values['block-interval'] === undefined ? {} : { blockIntervalMs: toInteger('block-interval', 0) }),
    ...(hasBlocks ? {} : { baseHeight: heightOfToday() }),
    ...(hasBlocks && !values.internet ? { node: { answers: TIME_OF_TODAY } } : {}),
  });
  stopWithParentOrSignal(sandbox);
  printBanner(sandbox);
  process.send?.({ url: sandbox.url });
}

function heightOfToday(): bigint {
  return BigInt(Math.max(MIN_HEIGHT, Math.floor((Date.now() - HEIGHTS_SINCE_MS) / HEIGHT_INTERVAL_MS)));
}

function stopWithParentOrSignal(sandbox: Sandbox): void {
  const stop = () => void sandbox.stop().then(() => process.exit(0));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  if (process.connected) process.once('disconnect', stop);
}

function printBanner({ url, validators, networkId }: Sandbox): void {
  console.log(`This is a SANDBOX: ${validators.length} simulated validators of a made-up network ${networkId}.
They sign any well-formed message. Nothing here has any value.

  node (info, platform):  ${url}
  world and controls:     ${url}/sandbox
  use it with:            ${values.staked ? withoutNode(validators) : `FUJI_NODE_URL=${url}`}
`);
}

/** Two thirds of the listed ones are believed. */
function withoutNode(validators: Sandbox['validators']): string {
  const peers = validators.slice(0, LISTED_PEERS).map(({ nodeId, address }) => `${nodeId}@${address}`);
  return `NETWORKS=mainnet:${SANDBOX_NETWORK_ID} SANDBOX_NETWORKS=mainnet MAINNET_PEERS=${peers.join(',')}`;
}

function toInteger(
  name: 'validators' | 'l1-validators' | 'generated' | 'port' | 'network-id' | 'block-interval',
  minimum: number,
): number {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value >= minimum) return value;
  console.error(`--${name} needs an integer of at least ${minimum}\n\n${USAGE}`);
  return process.exit(2);
}
