import { resolve } from 'node:path';
import { z } from 'zod';
import { networksSetting } from '../../src/platform/config/env.schema.js';
import { parseVariables } from '../../src/platform/config/parse-settings.js';

const NETWORKS = ['fuji', 'mainnet'] as const;
/** Wanted for what is embedded, unless the API takes any port: then so does the rest. */
const PORTS = { postgres: 5432, temporal: 7233, temporalUi: 8233, sandbox: 9650 };
const ANY_PORT = { postgres: 0, temporal: 0, temporalUi: 0, sandbox: 0 };

/** Variables that decide which parts are embedded; the rest is for the API and the worker. */
export const EmbeddedEnvSchema = z.object({
  DATA_DIR: z.string().default('.data'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  DATABASE_URL: z.string().optional(),
  TEMPORAL_ADDRESS: z.string().optional(),
  NETWORKS: networksSetting,
  NETWORKS_FILE: z.string().optional(),
  FUJI_NODE_URL: z.string().optional(),
  MAINNET_NODE_URL: z.string().optional(),
});

export interface EmbeddedOptions {
  dataFolder: string;
  /** Wanted ports; a busy one is stepped over. */
  ports: { api: number; postgres: number; temporal: number; temporalUi: number; sandbox: number };
  /** Given from outside; that part is not started then. */
  databaseUrl: string | undefined;
  temporalAddress: string | undefined;
  /** The sandbox stands behind these names when no network is configured: nothing is simulated beside a real one. */
  sandboxNetworks: readonly (typeof NETWORKS)[number][];
  /** Those that are configured, and whether they have a node. */
  realNetworks: readonly { readonly name: (typeof NETWORKS)[number]; readonly hasNode: boolean }[];
  /** Of the requests that are shown, with a node if any has one; undefined when all are in NETWORKS_FILE. */
  exampleNetwork: (typeof NETWORKS)[number] | undefined;
}

export function parseOptions(env: NodeJS.ProcessEnv, projectFolder: string): EmbeddedOptions {
  const values = parseVariables(EmbeddedEnvSchema, env);
  const listed = values.NETWORKS;
  const nodeUrls = { fuji: values.FUJI_NODE_URL, mainnet: values.MAINNET_NODE_URL };
  const realNetworks = NETWORKS.map((name) => ({ name, hasNode: nodeUrls[name] !== undefined })).filter(
    ({ name, hasNode }) => hasNode || listed.some((each) => each.name === name),
  );
  const isConfigured = realNetworks.length > 0 || values.NETWORKS_FILE !== undefined;
  const sandboxNetworks = isConfigured ? [] : NETWORKS;
  return {
    dataFolder: resolve(projectFolder, values.DATA_DIR),
    ports: Object.assign({ api: values.PORT }, values.PORT === 0 ? ANY_PORT : PORTS),
    databaseUrl: values.DATABASE_URL,
    temporalAddress: values.TEMPORAL_ADDRESS,
    sandboxNetworks,
    realNetworks,
    exampleNetwork:
      realNetworks.find(({ hasNode }) => hasNode)?.name ?? realNetworks[0]?.name ?? sandboxNetworks[0],
  };
}
