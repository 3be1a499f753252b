import { describe, expect, it } from '@jest/globals';
import { cacheFolder } from './cache-folder.js';

describe(cacheFolder.name, () => {
  it.each([
    ['linux', {}, '/home/a/.cache/network-data-service'],
    ['linux', { XDG_CACHE_HOME: '/var/cache/a' }, '/var/cache/a/network-data-service'],
    ['linux', { XDG_CACHE_HOME: 'not/absolute' }, '/home/a/.cache/network-data-service'],
    ['darwin', { XDG_CACHE_HOME: '/var/cache/a' }, '/home/a/Library/Caches/network-data-service'],
    ['win32', { LOCALAPPDATA: '/local' }, '/local/network-data-service'],
  ] as const)('chooses the folder that is usual on %s, given %j', (platform, env, expected) => {
    expect(cacheFolder(platform, env, '/home/a')).toBe(expected);
  });
});
