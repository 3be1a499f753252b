import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedEnvSchema, parseOptions } from '../../../sandbox/local/embedded-options.js';
import { projectFolder } from './project-folder.js';
import { EnvSchema, parseEnv } from './env.schema.js';

/** Variables of tools and tests stand behind this heading; no schema has them. */
const OTHER_VARIABLES = '\n## Other variables\n';

/** A row of a table: the variable, and the cell with its default. */
const ROW = /^\| `([A-Z][A-Z0-9_]*)` \| (.*?) \| .* \|$/gm;

/** A default that can be set; anything else in its cell is words. */
const VALUE = /^`(.+)`$/;

const REQUIRED = { DATABASE_URL: 'postgres://localhost/nds' };

/** With one of these set, `npm start` has nothing to start. */
const GIVEN: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'TEMPORAL_ADDRESS',
  'NETWORKS',
  'NETWORKS_FILE',
  'MAINNET_NODE_URL',
  'FUJI_NODE_URL',
]);

const read = (...path: string[]): string => readFileSync(join(projectFolder(), ...path), 'utf8');

const [ofTheService = ''] = read('docs', 'configuration.md').split(OTHER_VARIABLES);
const documented = Array.from(ofTheService.matchAll(ROW), ([, name = '', cell = '']) => ({
  name,
  value: VALUE.exec(cell)?.[1],
}));

const ofProcesses = Object.keys(EnvSchema.shape);
const ofEmbedded = Object.keys(EmbeddedEnvSchema.shape);
const ofEmbeddedAlone = ofEmbedded.filter((name) => !ofProcesses.includes(name));

const parsed = (env: NodeJS.ProcessEnv): ReadonlyMap<string, unknown> =>
  new Map(Object.entries(parseEnv({ ...REQUIRED, ...env })));

const isNothing = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.length === 0);

describe('docs/configuration.md', () => {
  it('documents each variable of the API, the worker and npm start once, and no other', () => {
    expect(documented.map(({ name }) => name).sort()).toEqual([...ofProcesses, ...ofEmbeddedAlone].sort());
  });

  const bySchema = documented.filter(({ name }) => ofProcesses.includes(name) && !(name in REQUIRED));

  it.each(bySchema)('shows the default of $name as the schema has it', ({ name, value }) => {
    const byDefault = parsed({}).get(name);
    expect(value === undefined).toBe(isNothing(byDefault));
    expect(parsed({ [name]: value }).get(name)).toEqual(byDefault);
  });

  const byOptions = documented.filter(({ name }) => ofEmbedded.includes(name) && !GIVEN.has(name));

  it.each(byOptions)('shows the default of $name as npm start has it', ({ name, value }) => {
    expect(value).toBeDefined();
    expect(parseOptions({ [name]: value }, '/project')).toEqual(parseOptions({}, '/project'));
  });
});
