import { expect } from '@jest/globals';
import { EvmClient } from '../../../src/avalanche/evm/rpc/evm-client.js';
import type { Address } from '../../../src/avalanche/evm/rpc/hex-values.js';
import type { Movement } from '../../../src/avalanche/evm/transfers/transfers.js';
import type { ProofAccount } from '../../../src/exports/proof/export-proof.js';
import { readBlocks } from '../../../tools/localnet/c-chain/evm-recorder.js';
import { writeEvmChainsFile } from '../evm/evm-chains-file.js';
import { dateOf } from '../exports/export-comparison.js';
import { exportProved } from '../exports/proved-export.js';
import { TestService } from '../harness/service.js';
import { describeChain, type L1TestBed } from './local-l1.js';

const NATIVE_KINDS: ReadonlySet<string> = new Set(['NATIVE', 'INTERNAL', 'MINT']);

/**
 * Exports accounts one by one from nothing but the states that a node of the L1 keeps: those who have signed have the rows of the index,
 * given as its movements by height. Returns the rules of their proofs, which that node has confirmed.
 */
export async function expectProvedL1Exports(
  { l1: { chain, nodes }, network }: L1TestBed,
  movements: readonly (readonly Movement[])[],
  accounts: readonly Address[],
): Promise<Map<Address, ProofAccount['rule']>> {
  const described = describeChain(chain, nodes[0]?.url ?? '');
  const service = await TestService.start({
    nodeUrl: network.url,
    env: {
      WORKER_QUEUES: 'indexing,exports',
      EVM_CHAINS_FILE: writeEvmChainsFile([{ ...described, startHeight: 'tip' }]),
      LOG_LEVEL: 'warn',
    },
  });
  const client = EvmClient.connect({ urls: described.rpcUrls, timeoutMs: 20_000 });
  try {
    const blocks = await readBlocks(chain.node);
    expect(blocks).toHaveLength(movements.length);
    const tip = blocks.length - 1;
    const days = {
      chainId: described.chainId,
      firstDate: dateOf({ blocks }, 1),
      lastDate: dateOf({ blocks }, tip),
    };
    const rules = new Map<Address, ProofAccount['rule']>();
    for (const account of accounts) {
      const { lines, proved } = await exportProved(service, days, account, client);
      rules.set(account, proved.rule);
      if (proved.rule !== 'signed') continue;
      const rows = lines.map((line) => line.split(',')).flatMap(nativeRow);
      const expected = movements.flatMap((own, height) =>
        height === 0 ? [] : own.flatMap((each) => nativeMovement(each, height, account)),
      );
      expect({ account, rows }).toEqual({ account, rows: expected });
    }
    return rules;
  } finally {
    client.close();
  }
}

function nativeRow(cells: readonly string[]): string[] {
  const [height, kind = '', from, to, amount] = [cells[2], cells[9], cells[10], cells[11], cells[17]];
  return NATIVE_KINDS.has(kind) ? [`${height} ${kind} ${from} ${to} ${amount}`] : [];
}

function nativeMovement({ kind, from, to, amount }: Movement, height: number, account: Address): string[] {
  if (!NATIVE_KINDS.has(kind) || (from !== account && to !== account)) return [];
  return [`${height} ${kind} ${from} ${to} ${amount}`];
}
