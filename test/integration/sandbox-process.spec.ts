import { describe, expect, it } from '@jest/globals';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { InfoClient } from '../../src/avalanche/rpc/info-client.js';
import { PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { PlatformClient } from '../../src/avalanche/rpc/platform-client.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { NODE_PATIENCE_MS } from '../support/node-patience.js';
import { eventually } from '../support/harness/eventually.js';

const ENTRY = join(projectFolder(), 'dist/bundled/sandbox/main.js');

async function isAnswering(url: string): Promise<boolean> {
  const rpc = new JsonRpcClient({ urls: [url], timeoutMs: NODE_PATIENCE_MS });
  try {
    await new InfoClient(rpc).getNetworkId();
    return true;
  } catch {
    return false;
  } finally {
    rpc.close();
  }
}

async function start(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = fork(ENTRY, args, { stdio: 'pipe', env: { ...process.env, ...env } });
  let output = '';
  child.stdout?.on('data', (chunk) => (output += String(chunk)));
  child.stderr?.on('data', (chunk) => (output += String(chunk)));
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const ready = once(child, 'message').then(([message]) => (message as { url: string }).url);
  const url = await Promise.race([ready, exited.then(() => '')]);
  return { child, url, exited, output: () => output };
}

describe('the sandbox as a process', () => {
  it('reports that it is ready and what it is, and ends with its parent', async () => {
    const { child, url, exited, output } = await start(['--validators', '2', '--port', '0', '--seed', 'x']);
    expect(await isAnswering(url)).toBe(true);
    expect(output()).toContain('This is a SANDBOX: 2 simulated validators');
    expect(output()).toContain(`FUJI_NODE_URL=${url}`);
    child.disconnect();
    expect(await exited).toBe(0);
    expect(await isAnswering(url)).toBe(false);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends on %s', async (signal) => {
    const { child, exited } = await start(['--port', '0', '--validators', '1']);
    child.kill(signal);
    expect(await exited).toBe(0);
  });

  it('has the same validators again with the same seed', async () => {
    const args = ['--port', '0', '--validators', '1', '--seed', 'y'];
    const [one, again] = [await start(args), await start(args)];
    const nodeIds = await Promise.all(
      [one.url, again.url].map(
        async (base) =>
          (await new InfoClient(new JsonRpcClient({ urls: [base], timeoutMs: NODE_PATIENCE_MS })).getNodeId())
            .nodeId,
      ),
    );
    expect(new Set(nodeIds).size).toBe(1);
    for (const { child } of [one, again]) child.kill();
    await Promise.all([one.exited, again.exited]);
  });

  it.each(['--internet', '--no-blocks'])('names the same validators in all lists with %s', async (option) => {
    const { child, url, exited } = await start([option, '--validators', '20', '--port', '0']);
    const rpc = new JsonRpcClient({ urls: [url], timeoutMs: NODE_PATIENCE_MS });
    const platform = new PlatformClient(rpc);
    const current = await platform.getCurrentValidators();
    const proposed = await platform.getValidatorsAt({ subnetId: PRIMARY_NETWORK_ID, height: 'proposed' });
    expect(current).toHaveLength(20);
    expect(new Set(proposed.map(({ nodeId }) => nodeId))).toEqual(
      new Set(current.map(({ nodeId }) => nodeId)),
    );
    const listed = await new InfoClient(rpc).peers();
    expect(listed).toHaveLength(option === '--internet' ? 19 : 20);
    rpc.close();
    child.kill();
    await exited;
  });

  it('goes on in time whatever behaviour its node is given', async () => {
    const { child, url, exited } = await start(['--validators', '1', '--port', '0']);
    const rpc = new JsonRpcClient({ urls: [url], timeoutMs: NODE_PATIENCE_MS });
    const age = async (): Promise<number> =>
      Date.now() / 1_000 - (await new PlatformClient(rpc).getTimestamp());
    const isInTime = () => eventually('it is in time', async () => (await age()) < 10);
    await isInTime();
    for (const behaviour of [{ delayMs: 1 }, { answers: { 'info.peers': {} } }, {}]) {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify(behaviour);
      const answer = await fetch(`${url}/sandbox/node`, { method: 'POST', headers, body });
      expect(answer.status).toBe(200);
      await isInTime();
    }
    rpc.close();
    child.kill();
    await exited;
  });

  it('refuses invalid settings', async () => {
    const { exited, output } = await start(['--validators', 'many']);
    expect(await exited).toBe(2);
    // Its output may be read after it has ended.
    const reason = '--validators needs an integer of at least 1';
    await eventually('the reason is printed', () => output().includes(reason));
  });
});
