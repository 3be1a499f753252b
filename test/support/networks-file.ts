import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { genesisBytesOf } from '../../sandbox/generated/p-chain-generator.js';
import { onCleanup } from './harness/cleanup.js';

/** Any settings of one network; `genesisFile` is written for its id unless given. */
export type NetworkSettings = Readonly<Record<string, unknown>> & { readonly networkId: number };

/** A file for NETWORKS_FILE, with the genesis of each network beside it: the sandbox's unless given. */
export async function writeNetworksFile(
  networks: readonly NetworkSettings[],
  genesisOf: (networkId: number) => Promise<Uint8Array> = genesisBytesOf,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'networks-'));
  onCleanup(() => rmSync(folder, { recursive: true, force: true }));
  const written = networks.map((network) =>
    Object.assign({ genesisFile: `genesis-${network.networkId}.json` }, network),
  );
  for (const { networkId } of networks) {
    const gzippedBase64 = gzipSync(await genesisOf(networkId)).toString('base64');
    writeFileSync(join(folder, `genesis-${networkId}.json`), JSON.stringify({ gzippedBase64 }));
  }
  const file = join(folder, 'networks.json');
  writeFileSync(file, JSON.stringify({ networks: written }));
  return file;
}
