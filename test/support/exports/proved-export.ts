import { expect } from '@jest/globals';
import { Readable } from 'node:stream';
import type { EvmClient } from '../../../src/avalanche/evm/rpc/evm-client.js';
import { type ProofAccount, SignedProofSchema } from '../../../src/exports/proof/export-proof.js';
import { verifyExport } from '../../../src/exports/proof/verify-export.js';
import type { TestService } from '../harness/service.js';
import { type ChainDays, exportDays } from './export-comparison.js';
import { download } from './operations.js';

export interface ProvedExport {
  readonly lines: readonly string[];
  /** What the proof has of the account. */
  readonly proved: ProofAccount;
}

/** One account alone, with a proof that a node has confirmed. */
export async function exportProved(
  service: TestService,
  days: ChainDays,
  address: string,
  node: EvmClient,
): Promise<ProvedExport> {
  const { operation, lines } = await exportDays(service, days, [address]);
  const proof: unknown = await (await fetch(operation.metadata.proofUrl ?? '')).json();
  const signed = SignedProofSchema.parse(proof);
  const [proved] = signed.proof.chains.flatMap(({ accounts }) => accounts);
  if (proved === undefined) throw new Error('a proof of nobody');
  const { problems } = await verifyExport({
    signed,
    file: Readable.from([Buffer.from(await download(operation))]),
    clients: new Map([[days.chainId.toString(), node]]),
    samples: 20,
  });
  expect({ address, rule: proved.rule, problems }).toEqual({ address, rule: proved.rule, problems: [] });
  return { lines, proved };
}
