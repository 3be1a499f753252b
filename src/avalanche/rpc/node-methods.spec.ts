import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEPRECATED_METHODS } from '../../../test/support/sandbox/deprecated-methods.js';
import { projectFolder } from '../../platform/config/project-folder.js';

const CLIENTS = [
  { service: 'platform', file: 'platform-client.ts' },
  { service: 'info', file: 'info-client.ts' },
  { service: 'avm', file: 'avm-client.ts' },
] as const;

const read = (path: string): string => readFileSync(join(projectFolder(), path), 'utf8');

const sources = ['src', 'activities', 'workflows'].flatMap((folder) =>
  readdirSync(join(projectFolder(), folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
    .map((path) => join(folder, path)),
);

describe('the methods of nodes that the product can call', () => {
  it.each(CLIENTS)('are none of those that 1.15 has deprecated: $service', ({ service, file }) => {
    const called = Array.from(
      read(`src/avalanche/rpc/${file}`).matchAll(/\bcall\(\s*'(\w+)'/g),
      ([, method]) => `${service}.${method}`,
    );
    expect(called.length).toBeGreaterThan(3);
    expect(called.filter((method) => DEPRECATED_METHODS.includes(method))).toEqual([]);
  });

  it('are named with their service by nobody else', () => {
    expect(sources.length).toBeGreaterThan(500);
    const named = sources.flatMap((path) => {
      const text = read(path);
      return DEPRECATED_METHODS.filter((method) => text.includes(`'${method}'`)).map(
        (method) => `${path}: ${method}`,
      );
    });
    expect(named).toEqual([]);
  });
});
