import { beforeAll, describe, expect, it } from '@jest/globals';
import { readTokenBalances } from '../../src/avalanche/evm/history/token-balances.js';
import { type Address, type Hex, readAddress } from '../../src/avalanche/evm/rpc/hex-values.js';
import { EvmClient } from '../../src/avalanche/evm/rpc/evm-client.js';
import { readMovements } from '../../src/avalanche/evm/transfers/movement-reader.js';
import { recordEvmChain } from '../../tools/localnet/c-chain/evm-recorder.js';
import { EvmNode } from '../../tools/localnet/c-chain/evm-node.js';
import { C_CHAIN_FLAGS } from '../../tools/localnet/c-chain/network.js';
import { runCChainScenario } from '../../tools/localnet/c-chain/scenario.js';
import { ensureAvalanchegoBinaries } from '../../tools/localnet/binaries.js';
import { describeNetwork } from '../../tools/localnet/describe-network.js';
import type { LocalNetwork } from '../../tools/localnet/local-network.js';
import { makeServiceEnvironment } from '../../tools/localnet/service-environment.js';
import type { EvmRecording } from '../../sandbox/recording/evm-recording.js';
import {
  expectSameAtomicTransfers,
  expectSameBalances,
  expectSameRows,
  readCChain,
  type ReadChain,
} from '../support/evm/c-chain-comparison.js';
import { expectSameAnswers } from '../support/evm/evm-questions.js';
import {
  accountsOf,
  daysOf,
  expectBalanceChange,
  expectedLines,
  exportRecorded,
  untilIndexed,
} from '../support/exports/export-comparison.js';
import { exportProved } from '../support/exports/proved-export.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import { createTestFolder } from '../support/harness/services.js';
import { startLocalNetworkForTest } from '../support/real-nodes/local-network.js';
import { TestService } from '../support/harness/service.js';

/** Least amounts that the scenario sends. */
const MIN_TRANSACTIONS = 60;

/** As a shell would read the line that starts the service. */
function environmentIn(printed: string): Record<string, string> {
  const line = printed.split('\n').find((text) => text.endsWith(' npm start')) ?? '';
  const variables = line.matchAll(/([A-Z_]+)=(?:'([^']*)'|(\S+))/g);
  return Object.fromEntries(
    [...variables].map(([, name = '', quoted, plain]) => [name, quoted ?? plain ?? '']),
  );
}

describe('the C-chain of a real avalanchego node', () => {
  let network: LocalNetwork;
  let recording: EvmRecording;
  let found: ReadChain;

  beforeAll(async () => {
    await ensureAvalanchegoBinaries(() => undefined);
    network = await startLocalNetworkForTest({ nodes: 1, flags: C_CHAIN_FLAGS });
    const { url } = network;
    const cast = await runCChainScenario(url, () => undefined);
    recording = await recordEvmChain({ url, node: new EvmNode(url), chain: 'C', what: 'The C-chain', cast });
    found = await readCChain(url, recording);
  });

  it('gives the movements that a second implementation finds, row by row', () => {
    expectSameRows(found, recording);
    const transactions = recording.blocks.flatMap(({ block }) => block.transactions);
    expect(transactions.length).toBeGreaterThanOrEqual(MIN_TRANSACTIONS);
  });

  it('gives the imports and exports that were ordered', () => {
    expectSameAtomicTransfers(found, recording);
    expect(recording.atomic.length).toBeGreaterThan(1);
  });

  it('gives balances that follow from genesis, movements, imports and exports, to the wei and at every height', async () => {
    await expectSameBalances(found, recording);
  });

  it('names no rules that mint anything', async () => {
    const client = EvmClient.connect({ urls: [`${network.url}/ext/bc/C/rpc`], timeoutMs: 20_000 });
    try {
      expect(await client.chainUpgrades()).toMatchObject({ minter: [], states: [] });
    } finally {
      client.close();
    }
  });

  it('gives balances of many tokens in one call, whatever their contracts do', async () => {
    const client = EvmClient.connect({ urls: [`${network.url}/ext/bc/C/rpc`], timeoutMs: 20_000 });
    const { signal } = new AbortController();
    const asked: { to?: Address | undefined; data: Hex }[] = [];
    const counting: Pick<EvmClient, 'callContractsAt'> = {
      callContractsAt: (query) => {
        asked.push(...query.calls);
        return client.callContractsAt(query);
      },
    };
    try {
      const accounts = accountsOf(recording).map((text) => readAddress(text, 'account'));
      const contracts = [...new Set([...recording.calls.map(({ to }) => to), ...accounts.slice(0, 3)])];
      const places = [1n, BigInt(recording.blocks.length - 1)].flatMap((height) =>
        contracts.flatMap((contract) =>
          accounts
            .slice(0, 6)
            .flatMap((account) => [null, 1n].map((tokenId) => ({ contract, account, tokenId, height }))),
        ),
      );
      const balances = await readTokenBalances(places, counting, signal);
      const single = await Promise.all(places.map((place) => readTokenBalances([place], client, signal)));
      expect(balances).toEqual(single.flat());
      // Tokens with balances, contracts and accounts that are none, and contracts that refuse.
      expect(balances.some((balance) => balance !== undefined && balance > 0n)).toBe(true);
      expect(balances).toContain(0n);
      expect(balances).toContain(undefined);
      const [one, each] = [
        asked.filter(({ to }) => to === undefined),
        asked.filter(({ to }) => to !== undefined),
      ];
      // Besides those without an answer only the last one of a block, if it is left alone.
      const unknown = balances.filter((balance) => balance === undefined).length;
      expect(each.length).toBeLessThanOrEqual(unknown + 2);
      expect(one.length).toBeLessThanOrEqual(places.length / 150 + 2);
    } finally {
      client.close();
    }
  });

  it('ends where the node ends, and nothing is made up behind it', async () => {
    const client = EvmClient.connect({ urls: [`${network.url}/ext/bc/C/rpc`], timeoutMs: 20_000 });
    try {
      const tip = BigInt(recording.blocks.length - 1);
      expect(await client.blockNumber()).toBe(tip);
      const range = { fromHeight: tip, toHeight: tip + 5n };
      expect(await readMovements({ client, traces: 'auto', ...range })).toHaveLength(1);
    } finally {
      client.close();
    }
  });

  it('is indexed and exported with every row, in the environment that is printed', async () => {
    const dataDir = createTestFolder('service of localnet');
    const printed = describeNetwork(network, dataDir, await makeServiceEnvironment(network, dataDir));
    const service = await TestService.start({
      nodeUrl: network.url,
      env: { ...environmentIn(printed), WORKER_QUEUES: 'indexing,exports', LOG_LEVEL: 'warn' },
    });
    await untilIndexed(service, { from: 0, to: recording.blocks.length - 1 });
    const everybody = accountsOf(recording);
    const chainName = 'Local C-Chain';
    const { lines } = await exportRecorded(service, recording, everybody);
    expect(lines).toEqual(expectedLines(recording, everybody, { chainName }));
    for (const { address } of recording.addresses) {
      const own = await exportRecorded(service, recording, [address]);
      expect(own.lines).toEqual(expectedLines(recording, [address], { chainName }));
      expectBalanceChange(own.lines, recording, address);
    }
  });

  it('is exported without an index, from the states that its node keeps, with a proof that the node confirms', async () => {
    const rpcUrl = `${network.url}/ext/bc/C/rpc`;
    const chain = { chainId: BigInt(recording.chainId), rpcUrls: [rpcUrl], startHeight: 'tip' as const };
    const service = await TestService.start({
      nodeUrl: network.url,
      env: {
        WORKER_QUEUES: 'indexing,exports',
        EVM_CHAINS_FILE: writeEvmChainsFile([chain]),
        LOG_LEVEL: 'warn',
      },
    });
    const client = EvmClient.connect({ urls: [rpcUrl], timeoutMs: 20_000 });
    let whole = 0;
    const tokens = { known: 0, equal: 0 };
    try {
      for (const account of accountsOf(recording)) {
        const { lines, proved } = await exportProved(service, daysOf(recording), account, client);
        if (proved.rule === 'signed') {
          expect({ account, lines }).toEqual({ account, lines: expectedLines(recording, [account]) });
          whole += 1;
        }
        for (const { rows, opening, closing } of proved.tokens) {
          if (opening === null || closing === null) continue;
          tokens.known += 1;
          if (BigInt(closing) - BigInt(opening) === BigInt(rows)) tokens.equal += 1;
        }
      }
    } finally {
      client.close();
    }
    expect(whole).toBeGreaterThan(2);
    // Some contracts of the recording log what they like.
    expect(tokens.equal).toBeGreaterThanOrEqual(10);
    expect(tokens.known).toBeGreaterThan(tokens.equal);
  });

  it('answers as the sandbox does that has its recording', async () => {
    await expectSameAnswers({ nodeUrl: network.url, recording });
  });
});
