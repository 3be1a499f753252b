import { resolve } from 'node:path';
import { z } from 'zod';

const NETWORKS = ['fuji', 'mainnet'] as const;
const DEFAULT_VALIDATORS = 5;

const port = (defaultPort: number) => z.coerce.number().int().min(0).max(65_535).default(defaultPort);

/** What of the environment decides which parts are embedded; the rest is for the API and the worker. */
export const EmbeddedEnvSchema = z.object({
  DATA_DIR: z.string().default('.data'),
  PORT: port(3000),
  DATABASE_URL: z.string().optional(),
  TEMPORAL_ADDRESS: z.string().optional(),
  FUJI_NODE_URL: z.string().optional(),
  MAINNET_NODE_URL: z.string().optional(),
  SANDBOX_VALIDATORS: z.coerce.number().int().min(1).max(10_000).default(DEFAULT_VALIDATORS),
  EMBEDDED_POSTGRES_PORT: port(5432),
  EMBEDDED_TEMPORAL_PORT: port(7233),
  EMBEDDED_TEMPORAL_UI_PORT: port(8233),
  EMBEDDED_SANDBOX_PORT: port(9650),
});

export interface EmbeddedOptions {
  dataFolder: string;
  /** Wanted ports; a busy one is stepped over. */
  ports: { api: number; postgres: number; temporal: number; temporalUi: number; sandbox: number };
  /** Given from outside; that part is not started then. */
  databaseUrl: string | undefined;
  temporalAddress: string | undefined;
  /** Networks without a node of their own: the sandbox stands behind their names. */
  sandboxNetworks: readonly (typeof NETWORKS)[number][];
  sandboxValidators: number;
}

export function parseOptions(env: NodeJS.ProcessEnv, projectFolder: string): EmbeddedOptions {
  const parsed = EmbeddedEnvSchema.safeParse(
    Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')),
  );
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`bad configuration: ${problems.join('; ')}`);
  }
  const values = parsed.data;
  const nodeUrls = { fuji: values.FUJI_NODE_URL, mainnet: values.MAINNET_NODE_URL };
  return {
    dataFolder: resolve(projectFolder, values.DATA_DIR),
    ports: {
      api: values.PORT,
      postgres: values.EMBEDDED_POSTGRES_PORT,
      temporal: values.EMBEDDED_TEMPORAL_PORT,
      temporalUi: values.EMBEDDED_TEMPORAL_UI_PORT,
      sandbox: values.EMBEDDED_SANDBOX_PORT,
    },
    databaseUrl: values.DATABASE_URL,
    temporalAddress: values.TEMPORAL_ADDRESS,
    sandboxNetworks: NETWORKS.filter((network) => nodeUrls[network] === undefined),
    sandboxValidators: values.SANDBOX_VALIDATORS,
  };
}
