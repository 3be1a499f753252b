import { describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PeerConnections } from './peer-connections.js';

const connectionsOf = (queue: string, dataDir = ''): PeerConnections => {
  const networks = { all: () => [{ name: 'fuji' }] };
  const queues = { includes: (name: string) => name === queue };
  return new PeerConnections(
    { dataDir } as never,
    networks as never,
    queues as never,
    undefined as never,
    undefined as never,
  );
};

describe(PeerConnections.name, () => {
  it('takes no work before it has begun to connect: workers may be started first', () => {
    expect(connectionsOf('signatures').takesWork).toBe(false);
  });

  it('tries again to have an identity, which it could not write at first', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'peer-connections-'));
    const folder = join(dataDir, 'p2p');
    await writeFile(folder, 'in the way');
    const connections = connectionsOf('signatures', dataDir);
    const connect = (): Promise<unknown> => connections.of({ name: 'fuji' } as never, {} as never);
    await expect(connect()).rejects.toThrow('EEXIST');
    await rm(folder);
    await expect(connect()).rejects.not.toThrow('EEXIST'); // the network of this test is none
    expect(await readdir(folder)).toContainEqual(expect.stringMatching(/^fuji-0/));
    await connections.onApplicationShutdown();
    await rm(dataDir, { recursive: true });
  });

  it('keeps no process from work that needs no peers', () => {
    expect(connectionsOf('exports').takesWork).toBe(true);
  });
});
