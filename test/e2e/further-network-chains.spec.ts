import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defaultCChainRecording } from '../../sandbox/evm-chains/default-recordings.js';
import { genesisBytesOf } from '../../sandbox/generated/p-chain-generator.js';
import { defaultRecording } from '../../sandbox/p-chain/default-recording.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { parseBlock } from '../../src/avalanche/platformvm/codec/block.js';
import { sha256Id } from '../../src/avalanche/platformvm/codec/sha256.js';
import { localGenesisBytes } from '../../src/avalanche/platformvm/genesis/local-start-time.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import { accountsOf, dateOf, expectedLines, untilIndexed } from '../support/exports/export-comparison.js';
import { download, endOfOperation, startExport } from '../support/exports/operations.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { eventually } from '../support/harness/eventually.js';
import { TestService } from '../support/harness/service.js';
import { writeNetworksFile } from '../support/networks-file.js';
import { pChainAt } from '../support/sandbox/p-chain-time.js';

const NETWORK = 'devnet';

const ChainsSchema = z.object({
  chains: z.array(
    z.object({
      evmChainId: z.string(),
      network: z.string(),
      blockchainId: z.string(),
      facets: z.array(z.object({ name: z.string(), missingBlockCount: z.string() })),
    }),
  ),
});
const UtxosSchema = z.object({ utxos: z.array(z.object({ utxoId: z.string() })) });

/** That of a local network depends on when it was started. */
async function recordedGenesis(networkId: number): Promise<Uint8Array> {
  const [first] = defaultRecording().blocks;
  const { parentId } = parseBlock(fromHex(first?.bytes ?? ''));
  for (const bytes of localGenesisBytes(await genesisBytesOf(networkId), Math.floor(Date.now() / 1000))) {
    if (sha256Id(bytes) === parentId) return bytes;
  }
  throw new Error('the recording begins with no local genesis');
}

/** Its own network is the only one, so that the supply is of it. */
describe('the C-chain of a network of NETWORKS_FILE', () => {
  const recording = defaultCChainRecording();
  const chainId = BigInt(recording.chainId);
  const tip = recording.blocks.length - 1;
  let sandbox: Sandbox;
  let service: TestService;

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 1, blockIntervalMs: 0 });
    onCleanup(() => sandbox.stop());
    const { networkId, cChainId, url } = sandbox;
    const chain = { network: NETWORK, chainId, blockchainId: cChainId, rpcUrls: [`${url}/ext/bc/C/rpc`] };
    service = await TestService.start({
      nodeUrl: url,
      env: {
        FUJI_NODE_URL: undefined,
        NETWORKS_FILE: await writeNetworksFile(
          [{ name: NETWORK, networkId, nodeUrls: [url] }],
          recordedGenesis,
        ),
        EVM_CHAINS_FILE: writeEvmChainsFile([chain]),
        WORKER_QUEUES: 'indexing,exports',
        EXPORT_MAX_ADDRESSES: '1000',
        LOG_LEVEL: 'warn',
      },
    });
    await untilIndexed(service, { from: 0, to: tip, chainId });
  });

  it('is listed under its name, with its blocks and its UTXOs', async () => {
    await eventually('nothing is missing', async () => {
      const { chains } = ChainsSchema.parse((await service.request('/v1/chains')).body);
      const [chain] = chains;
      expect(chains).toHaveLength(1);
      expect(chain).toMatchObject({
        network: NETWORK,
        evmChainId: chainId.toString(),
        blockchainId: sandbox.cChainId,
      });
      return chain?.facets.every(({ missingBlockCount }) => missingBlockCount === '0') === true;
    });
    await eventually('its UTXOs', async () => {
      const path = `/v1/networks/${NETWORK}/blockchains/c-chain/utxos?includeSpent=true`;
      const { status, body } = await service.request(path);
      return status === 200 && UtxosSchema.parse(body).utxos.length > 0;
    });
  });

  it('has a part in the supply, once all three chains are indexed', async () => {
    let answer = await service.request('/v1/native/supply');
    await eventually('the supply', async () => {
      answer = await service.request('/v1/native/supply');
      if (answer.status === 503) {
        expect(answer.body).toMatchObject({ message: expect.stringContaining(`of ${NETWORK}: `) });
      }
      return answer.status === 200;
    });
    const { totalCBurned, genesisUnlock } = z
      .object({ totalCBurned: z.string(), genesisUnlock: z.string() })
      .parse(answer.body);
    expect(Number(totalCBurned)).toBeGreaterThan(0);
    expect(Number(genesisUnlock)).toBe(360_000_000);
  });

  it('is exported with all its rows', async () => {
    sandbox.setNodeBehaviour(pChainAt(Date.now() / 1000));
    const addresses = accountsOf(recording);
    const { operationId } = await startExport(service, {
      addresses,
      chainIds: [chainId],
      firstDate: dateOf(recording, 1),
      lastDate: dateOf(recording, tip),
    });
    const operation = await endOfOperation(service, operationId);
    const expected = expectedLines(recording, addresses, { chainName: `chain ${chainId}` });
    expect(expected.length).toBeGreaterThan(0);
    expect(operation).toMatchObject({
      operationStatus: 'COMPLETED',
      message: `${expected.length} rows`,
    });
    expect((await download(operation)).split('\r\n').slice(1, -1)).toEqual(expected);
  });
});
