import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { ensureCachedPackage } from './cached-package.js';

/** The oldest that package.json promises, and the one that the README recommends. */
const VERSIONS = { oldest: '20.19.0', recommended: '24.21.0' } as const;

export interface OtherNode {
  readonly version: string;
  readonly executable: string;
}

/** The one of the two that this process does not run on, as an npm package brings it. */
export async function ensureOtherNode(): Promise<OtherNode> {
  const isRecommended = process.versions.node.split('.')[0] === VERSIONS.recommended.split('.')[0];
  const version = isRecommended ? VERSIONS.oldest : VERSIONS.recommended;
  const name = `node-${process.platform}-${process.arch}`;
  const folder = await ensureCachedPackage({
    folder: `node-${version}`,
    package: `${name}@${version}`,
    unpack: async (installed, target) =>
      cpSync(join(installed, 'node_modules', name, 'bin'), target, { recursive: true }),
  });
  return { version, executable: join(folder, 'node') };
}
