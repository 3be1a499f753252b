import { beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { EvmExportRequest } from '../../workflows/contracts/export-transactions.js';
import { EvmClient } from '../../src/avalanche/evm/rpc/evm-client.js';
import {
  type ProofToken,
  type SignedProof,
  SignedProofSchema,
} from '../../src/exports/proof/export-proof.js';
import { verifyExport } from '../../src/exports/proof/verify-export.js';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { ExportBed, LAST_DAY, makeStorage } from '../support/exports/export-bed.js';
import { NO_LIMITS, readExport, runExport } from '../support/exports/export-run.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { createTestFolder } from '../support/harness/services.js';
import { NODE_PATIENCE_MS } from '../support/node-patience.js';

describe('the proof of an export', () => {
  let bed: ExportBed;
  let searched: { signed: SignedProof; file: string };
  let client: EvmClient;

  beforeAll(async () => {
    bed = await ExportBed.start();
    searched = await exportWith(await createMigratedDatabase());
    client = EvmClient.connect({ urls: bed.one.chain.rpcUrls, timeoutMs: NODE_PATIENCE_MS });
    onCleanup(() => client.close());
  });

  async function exportWith(
    database: Awaited<ReturnType<typeof createMigratedDatabase>>,
    part: Partial<EvmExportRequest> = {},
  ) {
    const storage = makeStorage();
    const operationId = randomUUID();
    const exporter = bed.makeExporter(database, storage);
    const request = bed.requestOf(part);
    await runExport(exporter, { operationId, request, limits: NO_LIMITS, durationMs: 300 });
    const [row] = await database.query<{ content: string }[]>(
      'SELECT content FROM export_proofs WHERE operation_id = $1',
      [operationId],
    );
    const signed = SignedProofSchema.parse(JSON.parse(row?.content ?? ''));
    return { signed, file: await readExport(database, storage, operationId) };
  }

  const verify = (signed: SignedProof, text: string, isComparedWithNode = true) =>
    verifyExport({
      signed,
      file: inPieces(text),
      clients: new Map(isComparedWithNode ? [['9001', client]] : []),
      samples: 50,
    });

  it('holds, for rows from nodes and from the index, at both ends and between', async () => {
    const indexed = await exportWith(bed.indexed);
    expect(indexed.file).toBe(searched.file);
    for (const [{ signed, file }, rule] of [
      [searched, 'signed'],
      [indexed, 'indexed'],
    ] as const) {
      const { chains, request } = signed.proof;
      expect(request.lastDate).toBe(LAST_DAY);
      expect(chains.flatMap(({ accounts }) => accounts.map((account) => account.rule))).toEqual(
        Array<string>(2 * request.addresses.length).fill(rule),
      );
      const { problems, compared } = await verify(signed, file);
      expect(problems).toEqual([]);
      // With the proof on both chains, with the node on one.
      expect(compared.filter((text) => !text.includes('token'))).toHaveLength(3 * request.addresses.length);
    }
    expect(indexed.signed.proof.chains.map(({ blocks }) => blocks)).toEqual(
      searched.signed.proof.chains.map(({ blocks }) => blocks),
    );
  });

  it('has the balances of each token at both ends, and what its rows add up to', async () => {
    const part = { addresses: [bed.requestOf().addresses[0] ?? ''], chainIds: ['9001'] };
    const { signed, file } = await exportWith(bed.indexed, part);
    const tokens = tokensOf(signed);
    expect(tokensOf((await exportWith(await createMigratedDatabase(), part)).signed)).toEqual(tokens);
    // Of all accounts there are more than a proof has.
    expect(searched.signed.proof.hasAllTokens).toBe(false);
    expect(tokens.length).toBeGreaterThan(10);
    expect(signed.proof.hasAllTokens).toBe(true);
    for (const { rows, opening, closing } of tokens) {
      // Generated transfers are of any amount, so that balances go round.
      const difference = BigInt(closing ?? -1) - BigInt(opening ?? -1) - BigInt(rows);
      expect(BigInt.asUintN(256, difference)).toBe(0n);
    }
    const { compared } = await verify(signed, file);
    const named = compared.filter((text) => text.includes('the contract changes balances without logs'));
    const wrapped = tokens.filter(({ rows, opening, closing }) => {
      return BigInt(closing ?? -1) - BigInt(opening ?? -1) !== BigInt(rows);
    });
    expect(named).toHaveLength(wrapped.length);
    const lines = compared.filter((text) => /: the rows of \d+ tokens add up to the changes/.test(text));
    expect(lines.length).toBeGreaterThan(0);
    const row = file.split('\r\n').find((line) => line.startsWith('9001,') && line.includes(',ERC20,')) ?? '';
    const { problems } = await verify(signed, file.replace(`${row}\r\n`, ''), false);
    expect(problems).toContainEqual(expect.stringContaining('those of the proof to'));
    const proof = structuredClone(signed.proof);
    const other = proof.chains[0]?.accounts[0]?.tokens[0];
    if (other === undefined) throw new Error('no tokens');
    other.closing = `${BigInt(other.closing ?? 0) ^ 1n}`;
    expect((await verify({ ...signed, proof }, file)).problems).toContainEqual(
      expect.stringMatching(`token ${other.contract}.*: another balance at .* after block`),
    );
  });

  it('has no sums of rows that tools for taxes read, but the digest and both ends', async () => {
    const { signed, file } = await exportWith(bed.indexed, { format: 'koinly' });
    const { problems, compared } = await verify(signed, file);
    expect(problems).toEqual([]);
    expect(compared).toEqual([
      'rows of the format koinly cannot be added up',
      ...signed.proof.request.addresses.flatMap((address) => [
        expect.stringMatching(`^${address} on Chain 9001 .* balances of tokens are those of`),
        expect.stringMatching(`^${address} on Chain 9001 .* 2 balances are those of`),
      ]),
    ]);
    expect((await verify(signed, file.replace('cost', 'tsoc'), false)).problems).toHaveLength(1);
  });

  it('does not hold for another file, a changed proof, or a node of other balances', async () => {
    const { signed, file } = searched;
    const changed = file.replace(/,success,/, ',failed,');
    expect((await verify(signed, changed, false)).problems).toEqual([
      'the file is not the one that the proof is of',
    ]);
    const [line = ''] = file
      .split('\r\n')
      .filter((row) => row.startsWith('9001,') && row.includes(',NATIVE,'));
    expect((await verify(signed, `${file}${line}\r\n`, false)).problems).toContain(
      'the file is not the one that the proof is of',
    );
    const without = await verify(signed, file.replace(`${line}\r\n`, ''));
    expect(without.problems).toContainEqual(expect.stringContaining('its rows add up to'));
    expect(without.problems).toContainEqual(expect.stringContaining('do not add up to its balance at'));
    const account = signed.proof.chains[0]?.accounts[0];
    if (account?.closing === null || account === undefined) throw new Error('no balances');
    const proof = structuredClone(signed.proof);
    const other = proof.chains[0]?.accounts[0]?.closing;
    if (other === null || other === undefined) throw new Error('no balances');
    other.balance = `${BigInt(other.balance) + 1n}`;
    const { problems } = await verify({ ...signed, proof }, file, false);
    expect(problems).toEqual([
      'the signature is not that of the key',
      expect.stringContaining(`${account.address} on Chain 9001`),
    ]);
  });

  it('is not compared with a node that has yet to come so far', async () => {
    const { signed, file } = searched;
    const proof = structuredClone(signed.proof);
    const blocks = proof.chains[0]?.blocks;
    if (blocks === null || blocks === undefined) throw new Error('no blocks');
    blocks.last.height = '1000000';
    await expect(verify({ ...signed, proof }, file)).rejects.toMatchObject({ code: 'BLOCK_UNAVAILABLE' });
  });

  it('is checked on the command line', async () => {
    const folder = createTestFolder('proof');
    const [proofFile, csvFile] = [join(folder, 'proof.json'), join(folder, 'transactions.csv')];
    writeFileSync(proofFile, JSON.stringify(searched.signed));
    writeFileSync(csvFile, searched.file);
    const run = promisify(execFile);
    const command = [join(projectFolder(), 'sandbox/local/setup.mjs'), 'verify-export', proofFile, csvFile];
    const rpc = ['--rpc', bed.one.chain.rpcUrls[0] ?? ''];
    const { stdout } = await run(process.execPath, [...command, ...rpc]);
    expect(stdout).toMatch(/balances are those of .*\n(.*\n)*verified\n$/);
    writeFileSync(csvFile, searched.file.replace(/,success,/, ',failed,'));
    await expect(run(process.execPath, command)).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/not verified\n$/),
      stderr: expect.stringContaining('not the one that the proof is of'),
    });
    const away = ['--rpc', 'http://127.0.0.1:1/rpc'];
    for (const unknown of [
      [...command, ...away],
      [...command.slice(0, -1), join(folder, 'none.csv')],
    ]) {
      await expect(run(process.execPath, unknown)).rejects.toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^.*(ECONNREFUSED|ENOENT).*\n$/),
      });
    }
    const { proof } = searched.signed;
    const others = proof.chains.filter(({ chainId }) => chainId !== '9001');
    writeFileSync(proofFile, JSON.stringify({ ...searched.signed, proof: { ...proof, chains: others } }));
    await expect(run(process.execPath, [...command, ...rpc])).rejects.toMatchObject({
      code: 2,
      stderr: 'a node is of chain 9001, which the proof does not have\n',
    });
    writeFileSync(proofFile, '{"proof":{}}');
    await expect(run(process.execPath, command)).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is no proof of an export'),
    });
    await expect(run(process.execPath, command.slice(0, 2))).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Usage: npm run verify-export'),
    });
  });
});

function tokensOf({ proof: { chains } }: SignedProof): ProofToken[] {
  const tokens = chains.flatMap(({ accounts }) => accounts.flatMap((account) => account.tokens));
  return tokens.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function inPieces(text: string): AsyncIterable<Buffer> {
  const bytes = Buffer.from(text);
  const length = 10_007;
  const count = Math.ceil(bytes.length / length);
  return Readable.from(Array.from({ length: count }, (_, i) => bytes.subarray(i * length, (i + 1) * length)));
}
