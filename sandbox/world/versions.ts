import { z } from 'zod';
import type { ClientVersion } from '../../src/avalanche/p2p/peer/handshake.js';

export type Version = Omit<ClientVersion, 'name'>;

const HELICON = { major: 1, minor: 15, patch: 0 } as const;

/**
 * The version of the nodes, and the lowest version that they accept, which an upgrade raises (avalanchego v1.15.0 version/constants.go).
 */
export class Versions {
  node: ClientVersion = { name: 'avalanchego', ...HELICON };
  floor: Version = HELICON;
}

export function formatVersion({ major, minor, patch }: Version): string {
  return `${major}.${minor}.${patch}`;
}

const VersionSchema = z
  .string()
  .regex(/^\d{1,4}\.\d{1,4}\.\d{1,4}$/)
  .transform((text): Version => {
    const [major = 0, minor = 0, patch = 0] = text.split('.').map(Number);
    return { major, minor, patch };
  });

/** Texts as `1.16.0`. */
export const VersionsSchema = z.strictObject({
  node: VersionSchema.optional(),
  floor: VersionSchema.optional(),
});
