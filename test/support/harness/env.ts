/** Where jest's workers find what the global set-up started. */
export const ENV = {
  folder: 'NDS_TEST_FOLDER',
  postgresUrl: 'NDS_TEST_POSTGRES_URL',
  temporalAddress: 'NDS_TEST_TEMPORAL_ADDRESS',
  temporalBinary: 'NDS_TEST_TEMPORAL_BINARY',
} as const;

export function fromGlobalSetup(name: keyof typeof ENV): string {
  const value = process.env[ENV[name]];
  if (value === undefined) {
    throw new Error(
      `${ENV[name]} is not set: only the projects integration, workflows, e2e and localnet have services`,
    );
  }
  return value;
}

/** The template of databases for tests. */
export const TEMPLATE_DATABASE = 'migrated';
