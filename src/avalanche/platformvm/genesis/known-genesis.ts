import { gunzipSync } from 'node:zlib';

/** Network ids of avalanchego v1.14.2 utils/constants/network_ids.go. */
export const LOCAL_NETWORK_ID = 12345;
const MAINNET_ID = 1;
const FUJI_ID = 5;

/**
 * Genesis bytes of the networks that avalanchego v1.14.2 knows, as `data/generate.go` has them made by its package
 * `genesis`; undefined for any other. Those of the local network are of its first possible start.
 */
export async function knownGenesisBytes(networkId: number): Promise<Uint8Array | undefined> {
  const file = await loadFile(networkId);
  return file && new Uint8Array(gunzipSync(Buffer.from(file.gzippedBase64, 'base64')));
}

/** Loaded when needed: mainnet's is half a megabyte. */
async function loadFile(networkId: number): Promise<{ gzippedBase64: string } | undefined> {
  switch (networkId) {
    case MAINNET_ID:
      return (await import('./data/mainnet.json', { with: { type: 'json' } })).default;
    case FUJI_ID:
      return (await import('./data/fuji.json', { with: { type: 'json' } })).default;
    case LOCAL_NETWORK_ID:
      return (await import('./data/local.json', { with: { type: 'json' } })).default;
    default:
      return undefined;
  }
}
