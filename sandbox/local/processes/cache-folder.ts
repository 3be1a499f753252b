import { homedir } from 'node:os';
import { join } from 'node:path';

const FOLDER_NAME = 'network-data-service';

/**
 * Where built or downloaded binaries are kept, each in a folder named after its version: outside of the checkout, so
 * that a second clone does not build them again.
 */
export function cacheFolder(
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
  home: string = homedir(),
): string {
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), FOLDER_NAME);
  if (platform === 'darwin') return join(home, 'Library', 'Caches', FOLDER_NAME);
  // An empty or relative XDG_CACHE_HOME is to be ignored (XDG base directory specification).
  const xdgCacheHome = env.XDG_CACHE_HOME?.startsWith('/') ? env.XDG_CACHE_HOME : join(home, '.cache');
  return join(xdgCacheHome, FOLDER_NAME);
}
